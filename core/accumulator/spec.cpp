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

namespace {

constexpr unsigned bit(Parameter parameter) { return 1U << static_cast<unsigned>(parameter); }

constexpr unsigned kPlain = bit(Parameter::kEpsilon);
constexpr unsigned kFraction = kPlain | bit(Parameter::kFraction);
constexpr unsigned kRank = kPlain | bit(Parameter::kK);
constexpr unsigned kBelow = kPlain | bit(Parameter::kLower);
constexpr unsigned kAbove = kPlain | bit(Parameter::kUpper);
constexpr unsigned kRange = kBelow | kAbove;
constexpr unsigned kGamma = bit(Parameter::kGamma);

struct Traits {
  Collects collects;
  Mechanism mechanism;
  unsigned parameters;
  double fraction = 0;
};

constexpr Traits traits_of(Statistic statistic) {
  switch (statistic) {
    case Statistic::kNone:
      break;
    case Statistic::kMedian:
      return {Collects::kValues, Mechanism::kLocal, kPlain, 0.5};
    case Statistic::kQuantile:
      return {Collects::kValues, Mechanism::kLocal, kFraction};
    case Statistic::kMin:
      return {Collects::kValues, Mechanism::kLocal, kBelow};
    case Statistic::kMax:
      return {Collects::kValues, Mechanism::kLocal, kAbove};
    case Statistic::kKthSmallest:
    case Statistic::kKthLargest:
      return {Collects::kValues, Mechanism::kLocal, kRank};
    case Statistic::kTruncatedRange:
      return {Collects::kRows, Mechanism::kTruncated, kRange};
    case Statistic::kCount:
      return {Collects::kRows, Mechanism::kGlobal, kPlain};
    case Statistic::kCountRange:
      return {Collects::kRows, Mechanism::kGlobal, kRange};
    case Statistic::kPrivateMedian:
      return {Collects::kValues, Mechanism::kExponential, kRange, 0.5};
    case Statistic::kPrivateQuantile:
      return {Collects::kValues, Mechanism::kExponential, kRange | kFraction};
    case Statistic::kPrivateMin:
    case Statistic::kPrivateMax:
      return {Collects::kValues, Mechanism::kExponential, kRange};
    case Statistic::kSum:
    case Statistic::kAverage:
    case Statistic::kVariance:
    case Statistic::kStddev:
      return {Collects::kMoments, Mechanism::kLocal, kRange};
    case Statistic::kPrivateSum:
    case Statistic::kPrivateAverage:
    case Statistic::kPrivateVariance:
    case Statistic::kPrivateStddev:
      return {Collects::kMoments, Mechanism::kGlobal, kRange};
    case Statistic::kDistinct:
      return {Collects::kDistinct, Mechanism::kGlobal, kPlain};
    case Statistic::kHistogram:
      return {Collects::kBuckets, Mechanism::kGlobal, kRange | bit(Parameter::kBuckets)};
    case Statistic::kSmoothMedian:
      return {Collects::kValues, Mechanism::kSmooth, kRange | kGamma, 0.5};
    case Statistic::kSmoothQuantile:
      return {Collects::kValues, Mechanism::kSmooth, kRange | kFraction | kGamma};
    case Statistic::kSmoothMax:
      return {Collects::kValues, Mechanism::kSmooth, kRange | kGamma};
    case Statistic::kGlobalMedian:
      return {Collects::kValues, Mechanism::kGlobal, kRange, 0.5};
    case Statistic::kGlobalMax:
      return {Collects::kValues, Mechanism::kGlobal, kRange};
  }
  return {Collects::kNothing, Mechanism::kNone, 0};
}

bool is_infinite(const Grid& grid, Key128 key) {
  return (grid.is_wide() ? grid.infinity_sign(key) : grid.infinity_sign(narrow(key))) != 0;
}

// Group privacy is individual privacy at several distances, where those sensitivities are known.
bool protects_groups(Statistic statistic) {
  return mechanism(statistic) == Mechanism::kLocal && statistic != Statistic::kVariance &&
         statistic != Statistic::kStddev;
}

bool is_epsilon(double epsilon) { return std::isfinite(epsilon) && epsilon > 0; }

}  // namespace

Collects collects(Statistic statistic) { return traits_of(statistic).collects; }
Mechanism mechanism(Statistic statistic) { return traits_of(statistic).mechanism; }
double fixed_fraction(Statistic statistic) { return traits_of(statistic).fraction; }

bool Spec::has(Parameter parameter) const {
  return (traits_of(statistic).parameters & bit(parameter)) != 0;
}

std::optional<Violation> find_violation_of_epsilons(std::span<const double> epsilons,
                                                    bool several) {
  const char* argument = several ? "epsilons" : "epsilon";
  for (const double epsilon : epsilons) {
    if (!is_epsilon(epsilon)) {
      return Violation{argument,
                       several ? "must be finite numbers greater than 0"
                               : "must be a finite number greater than 0",
                       false};
    }
    if (epsilon < kLeastEpsilon) return Violation{argument, "must be at least 1e-18", false};
  }
  return std::nullopt;
}

std::optional<Violation> find_violation_of_stored(const Spec& spec,
                                                  std::span<const double> epsilons) {
  const bool several = spec.groups != 1;
  for (const double epsilon : epsilons) {
    if (is_epsilon(epsilon)) continue;
    return find_violation_of_epsilons({&epsilon, 1}, several);
  }
  if (spec.groups < 1 || spec.groups > kMaxGroup || (several && !protects_groups(spec.statistic))) {
    return Violation{"epsilons", "must have between 1 and 32 elements", false};
  }
  if (spec.has(Parameter::kFraction) && !(spec.fraction >= 0 && spec.fraction <= 1)) {
    return Violation{"fraction", "must be between 0 and 1", true};
  }
  if (spec.has(Parameter::kK) && spec.k < 1) {
    return Violation{"k", "must be at least 1", false};
  }
  if (spec.has(Parameter::kK) && spec.k > kMaxK) {
    return Violation{"k", "must be at most 2147483647", false};
  }
  if (spec.has(Parameter::kBuckets) && (spec.k < 1 || spec.k > kMaxBuckets)) {
    return Violation{"buckets", "must be between 1 and 100000", false};
  }
  if (spec.has(Parameter::kGamma) && (spec.k < 2 || spec.k > 4)) {
    return Violation{"gamma", "must be 2, 3 or 4", false};
  }
  // An infinite end is fine where it only opens a range to count in.
  const bool finite = spec.collects() != Collects::kRows;
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

std::optional<Violation> find_violation(const Spec& spec, std::span<const double> epsilons) {
  if (const auto violation = find_violation_of_epsilons(epsilons, spec.groups != 1)) {
    return violation;
  }
  return find_violation_of_stored(spec, epsilons);
}

std::optional<Violation> find_violation(const Spec& spec) {
  return find_violation(spec, {&spec.epsilon, 1});
}

}  // namespace idp
