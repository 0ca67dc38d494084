#include "core/aggregate/spec.h"

namespace idp {

namespace {

bool is_infinite(const Grid& grid, Key128 key) {
  return (grid.is_wide() ? grid.infinity_sign(key) : grid.infinity_sign(narrow(key))) != 0;
}

}  // namespace

bool fits(const Grid& grid, Statistic statistic) {
  if (!takes(row_of(statistic).columns, grid.type)) return false;
  if (grid.type != ValueType::kNumeric) return grid.precision == 0 && grid.scale == 0;
  if (grid.precision == 0) return grid == Grid::plain_numeric();
  return grid.precision >= 1 && grid.precision <= Grid::kMaxPrecision && grid.scale >= -1000 &&
         grid.scale <= 1000;
}

std::optional<Violation> find_violation_of_epsilons(std::span<const double> epsilons,
                                                    bool several) {
  for (const double epsilon : epsilons) {
    if (!is_positive(epsilon)) return several ? kBadEpsilons : kBadEpsilon;
    if (epsilon < kLeastEpsilon) return several ? kSmallEpsilons : kSmallEpsilon;
  }
  return std::nullopt;
}

std::optional<Violation> find_violation_of_stored(const Spec& spec,
                                                  std::span<const double> epsilons) {
  const bool several = spec.groups != 1;
  for (const double epsilon : epsilons) {
    if (!is_positive(epsilon)) return several ? kBadEpsilons : kBadEpsilon;
    // Parts of it are doubles.
    if (spec.mechanism() == Mechanism::kClipping && epsilon < kLeastEpsilon) return kSmallEpsilon;
  }
  if (spec.groups < 1 || spec.groups > kMaxGroup || (several && !row_of(spec.statistic).groups)) {
    return kBadGroups;
  }
  if (spec.has(Parameter::kFraction)) {
    const bool trims = row_of(spec.statistic).spread == SpreadKind::kTrimmedAverage;
    const bool fits = spec.fraction >= 0 && (trims ? spec.fraction < 0.5 : spec.fraction <= 1);
    if (!fits) return trims ? kBadTrimming : kBadFraction;
  }
  if (spec.has(Parameter::kDelta) && !(spec.delta >= kLeastDelta && spec.delta < 1)) {
    return kBadDelta;
  }
  if (spec.has(Parameter::kK) && spec.k < 1) return kBadK;
  if (spec.has(Parameter::kK) && spec.k > kMaxK) return kGreatK;
  if (spec.has(Parameter::kBuckets) && (spec.buckets < 1 || spec.buckets > kMaxBuckets))
    return kBadBuckets;
  if (spec.has(Parameter::kGamma) && (spec.gamma < 2 || spec.gamma > 4)) return kBadGamma;
  // An infinite end is fine where it only opens a range to count in.
  const bool finite = spec.collects() != Collects::kRows;
  if (finite && spec.has(Parameter::kLower) && is_infinite(spec.grid, spec.lower)) {
    return kInfiniteLower;
  }
  if (finite && spec.has(Parameter::kUpper) && is_infinite(spec.grid, spec.upper)) {
    return kInfiniteUpper;
  }
  if (spec.has(Parameter::kLower) && spec.has(Parameter::kUpper) && spec.lower > spec.upper) {
    return kCrossedBounds;  // keys order as values do
  }
  return std::nullopt;
}

std::optional<Violation> find_violation(const Spec& spec, std::span<const double> epsilons) {
  if (const auto violation = find_violation_of_epsilons(epsilons, spec.groups != 1)) {
    return violation;
  }
  return find_violation_of_stored(spec, epsilons);
}

std::optional<Violation> find_violation(const Spec& spec) {
  return find_violation(spec, {&spec.epsilon, 1});
}

std::int64_t rank_of(const Spec& spec, std::int64_t n) {
  switch (row_of(spec.statistic).rank) {
    case RankRule::kNone:
      return 0;
    case RankRule::kFraction:
      return n == 0 ? 0 : nearest_rank(spec.fraction, n);
    case RankRule::kFirst:
      return 1;
    case RankRule::kLast:
      return n;
    case RankRule::kFromFirst:
      return spec.k;
    case RankRule::kFromLast:
      return n - spec.k + 1;
  }
  return 0;
}

}  // namespace idp
