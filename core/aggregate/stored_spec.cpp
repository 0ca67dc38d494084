#include "core/aggregate/stored_spec.h"

#include <array>
#include <utility>

namespace idp {

namespace {

constexpr bool is_number(Parameter parameter) {
  return parameter == Parameter::kK || parameter == Parameter::kBuckets ||
         parameter == Parameter::kGamma;
}

// The parameter that is stored as the number, for each statistic; kEpsilon if it has none.
constexpr auto kNumbers = [] {
  std::array<Parameter, kStatistics> numbers{};
  for (const StatisticRow& row : statistic_rows::kRows) {
    Parameter& number = numbers[static_cast<std::size_t>(row.statistic)];
    number = Parameter::kEpsilon;
    for (std::size_t i = 0; i < row.parameters.count; ++i) {
      const Parameter parameter = row.parameters.list[i];
      if (!is_number(parameter)) continue;
      if (is_number(number)) throw "a statistic has two parameters for one number";
      number = parameter;
    }
  }
  return numbers;
}();

// Where a spec has it; null if it has none.
template <class AnySpec>
auto number_in(AnySpec& spec) -> decltype(&spec.k) {
  switch (kNumbers[static_cast<std::size_t>(row_of(spec.statistic).statistic)]) {
    case Parameter::kK:
      return &spec.k;
    case Parameter::kBuckets:
      return &spec.buckets;
    case Parameter::kGamma:
      return &spec.gamma;
    default:
      return nullptr;
  }
}

}  // namespace

StoredSpec::StoredSpec(const Spec& spec)
    : statistic(spec.statistic),
      groups(spec.groups),
      grid(spec.grid),
      epsilon(spec.epsilon),
      fraction(spec.has(Parameter::kDelta) ? spec.delta : spec.fraction),
      lower(spec.lower),
      upper(spec.upper) {
  if (const std::int64_t* place = number_in(spec)) number = *place;
}

Spec StoredSpec::to_spec() const {
  Spec spec{.statistic = statistic,
            .groups = groups,
            .grid = grid,
            .epsilon = epsilon,
            .fraction = fraction,
            .lower = lower,
            .upper = upper};
  if (spec.has(Parameter::kDelta)) std::swap(spec.fraction, spec.delta);
  if (std::int64_t* place = number_in(spec)) *place = number;
  return spec;
}

}  // namespace idp
