#include "core/mechanism/spread.h"

#include <algorithm>
#include <utility>

#include "core/mechanism/order_statistic.h"
#include "core/random/bernoulli.h"
#include "core/select/unclamped_values.h"
#include "core/sensitivity/spread.h"

namespace idp {

namespace {

std::optional<Spread> spread_of(const SpreadQuestion& question, const RankedSteps& data) {
  switch (question.kind) {
    case SpreadKind::kNone:
      break;
    case SpreadKind::kInterquartileRange:
      return interquantile_range(data, 0.25, 0.75, {});
    case SpreadKind::kDeviation:
      return median_absolute_deviation(data, {});
    case SpreadKind::kTrimmedAverage:
      return trimmed_average(data, question.fraction, {});
  }
  return std::nullopt;
}

bool is_infinite(const mpq_class& value) {
  return mpz_class(abs(value.get_num()) / value.get_den()) >= mpz_class(1) << kInfiniteBits / 2;
}

mpz_class power_of_ten(long exponent) {
  mpz_class v;
  mpz_ui_pow_ui(v.get_mpz_t(), 10, static_cast<unsigned long>(exponent));
  return v;
}

// How many steps of the answer's grid are a step of the column's.
mpq_class scale_of(const SpreadQuestion& question, const Frozen& frozen) {
  if (question.grid.is_float()) {
    mpq_class one = 1;
    if (frozen.dropped >= 0) return one >> static_cast<mp_bitcnt_t>(frozen.dropped);
    return one << static_cast<mp_bitcnt_t>(-frozen.dropped);
  }
  const bool is_average = question.kind == SpreadKind::kTrimmedAverage;
  return is_average ? power_of_ten(trimmed_average_digits(question.grid)) : mpz_class(1);
}

mpz_class floor_of(const mpq_class& value) {
  mpz_class v;
  mpz_fdiv_q(v.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return v;
}

}  // namespace

long trimmed_average_digits(const Grid& grid) {
  constexpr long kDigits = 16;
  return grid.type == ValueType::kNumeric && grid.precision == 0 ? 0 : kDigits;
}

template <class Key>
Frozen freeze_spread(const SpreadQuestion& question, const Values<Key>& values, double epsilon,
                     const Workspace& space, BitSource& bits) {
  Frozen frozen;
  const UnclampedValues<Key> data(values, question.grid, space);
  const std::optional<Spread> spread = spread_of(question, data);
  if (!spread || is_infinite(spread->at) || is_infinite(spread->least) ||
      is_infinite(spread->greatest)) {
    return frozen;
  }
  frozen.kind = Frozen::Kind::kNoisy;
  const mpq_class sensitivity = spread->sensitivity();
  if (question.grid.is_float() && sensitivity > 0) {
    // An average may move by less than the finest step.
    const mpz_class steps = std::max<mpz_class>(1, floor_of(sensitivity));
    frozen.dropped = std::min(dropped_bits(steps, epsilon), kMostDropped);
    frozen.fill = uniform_bits(kFillBits, bits);
  }
  const mpq_class scale = scale_of(question, frozen);
  const auto steps = [&](const mpq_class& value) { return floor_of(value * scale); };
  const mpz_class& at = frozen.values.emplace_back(steps(spread->at));
  frozen.sensitivities.emplace_back().emplace_back(
      std::max<mpz_class>(steps(spread->greatest) - at, at - steps(spread->least)));
  return frozen;
}

Number answer_trimmed_average(const Grid& grid, const Frozen& frozen, const mpz_class& noise) {
  const mpz_class units = frozen.values.front() + noise;
  if (grid.is_float()) {
    return {(units << kFillBits) + frozen.fill, false,
            static_cast<long>(kFillBits) - kFloatStepExponent - frozen.dropped};
  }
  const long scale = grid.type == ValueType::kNumeric ? grid.scale : 0;
  return {units, true, scale + trimmed_average_digits(grid)};
}

template Frozen freeze_spread(const SpreadQuestion&, const Values<Key64>&, double, const Workspace&,
                              BitSource&);
template Frozen freeze_spread(const SpreadQuestion&, const Values<Key128>&, double,
                              const Workspace&, BitSource&);

}  // namespace idp
