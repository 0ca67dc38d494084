#include "core/accumulator/spec.h"

#include <cmath>

namespace idp {

Key128 widen(Key64 key) { return key128(key); }
Key64 narrow(Key128 key) { return static_cast<Key64>(key.low); }

template <>
Key64 Spec::lower_as<Key64>() const {
  return narrow(lower);
}
template <>
Key128 Spec::lower_as<Key128>() const {
  return lower;
}
template <>
Key64 Spec::upper_as<Key64>() const {
  return narrow(upper);
}
template <>
Key128 Spec::upper_as<Key128>() const {
  return upper;
}

bool is_private_quantile(Statistic statistic) {
  switch (statistic) {
    case Statistic::kPrivateMedian:
    case Statistic::kPrivateQuantile:
    case Statistic::kPrivateMin:
    case Statistic::kPrivateMax:
      return true;
    default:
      return false;
  }
}

namespace {

bool counts_range(Statistic statistic) {
  return statistic == Statistic::kTruncatedRange || statistic == Statistic::kCountRange;
}

}  // namespace

bool collects_values(Statistic statistic) {
  switch (statistic) {
    case Statistic::kMedian:
    case Statistic::kQuantile:
    case Statistic::kMin:
    case Statistic::kMax:
    case Statistic::kKthSmallest:
    case Statistic::kKthLargest:
      return true;
    default:
      return is_private_quantile(statistic);
  }
}

double fixed_fraction(Statistic statistic) {
  return statistic == Statistic::kMedian || statistic == Statistic::kPrivateMedian ? 0.5 : 0.0;
}

bool Spec::has(Parameter parameter) const {
  const bool range = counts_range(statistic) || is_private_quantile(statistic);
  switch (parameter) {
    case Parameter::kEpsilon:
      return statistic != Statistic::kNone;
    case Parameter::kFraction:
      return statistic == Statistic::kQuantile || statistic == Statistic::kPrivateQuantile;
    case Parameter::kK:
      return statistic == Statistic::kKthSmallest || statistic == Statistic::kKthLargest;
    case Parameter::kLower:
      return range || statistic == Statistic::kMin;
    case Parameter::kUpper:
      return range || statistic == Statistic::kMax;
  }
  return false;
}

namespace {

bool is_infinite(const Grid& grid, Key128 key) {
  return (grid.is_wide() ? grid.infinity_sign(key) : grid.infinity_sign(narrow(key))) != 0;
}

}  // namespace

std::optional<Violation> find_violation(const Spec& spec) {
  if (!std::isfinite(spec.epsilon) || spec.epsilon <= 0) {
    return Violation{"epsilon", "must be a finite number greater than 0", false};
  }
  if (spec.has(Parameter::kFraction) && !(spec.fraction >= 0 && spec.fraction <= 1)) {
    return Violation{"fraction", "must be between 0 and 1", true};
  }
  if (spec.has(Parameter::kK) && spec.k < 1) {
    return Violation{"k", "must be at least 1", false};
  }
  // An infinite end is fine where it only opens a range to count in.
  const bool finite = !counts_range(spec.statistic);
  if (finite && spec.has(Parameter::kLower) && is_infinite(spec.grid, spec.lower)) {
    return Violation{"lower", "must be finite", false};
  }
  if (finite && spec.has(Parameter::kUpper) && is_infinite(spec.grid, spec.upper)) {
    return Violation{"upper", "must be finite", false};
  }
  if (spec.has(Parameter::kLower) && spec.has(Parameter::kUpper) && spec.lower > spec.upper) {
    return kCrossedBounds;  // keys order as values do
  }
  return std::nullopt;
}

}  // namespace idp
