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

bool Spec::has(Parameter parameter) const {
  switch (parameter) {
    case Parameter::kEpsilon:
      return statistic != Statistic::kNone;
    case Parameter::kFraction:
      return statistic == Statistic::kQuantile;
    case Parameter::kK:
      return statistic == Statistic::kKthSmallest || statistic == Statistic::kKthLargest;
    case Parameter::kLower:
      return statistic == Statistic::kMin || statistic == Statistic::kTruncatedRange ||
             statistic == Statistic::kCountRange;
    case Parameter::kUpper:
      return statistic == Statistic::kMax || statistic == Statistic::kTruncatedRange ||
             statistic == Statistic::kCountRange;
  }
  return false;
}

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
      return false;
  }
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
  const bool lower = spec.has(Parameter::kLower);
  const bool upper = spec.has(Parameter::kUpper);
  if (lower && upper) {
    // Keys order as values do. An infinite end is fine here: it only opens the range.
    if (spec.lower > spec.upper) return kCrossedBounds;
  } else if (lower && is_infinite(spec.grid, spec.lower)) {
    return Violation{"lower", "must be finite", false};
  } else if (upper && is_infinite(spec.grid, spec.upper)) {
    return Violation{"upper", "must be finite", false};
  }
  return std::nullopt;
}

}  // namespace idp
