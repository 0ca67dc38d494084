// What one aggregate call asks for: which statistic, over which grid, with which parameters. It is
// fixed before the first row and travels inside the aggregate's state, so that whoever finishes the
// aggregate (the leader of a parallel plan, another server) knows everything.
#pragma once

#include "core/no_postgres.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/grid/grid.h"
#include "core/grid/key.h"

namespace idp {

enum class Statistic : std::uint8_t {
  kNone = 0,
  kMedian = 1,            // idp_median
  kQuantile = 2,          // idp_quantile
  kMin = 3,               // idp_min
  kMax = 4,               // idp_max
  kKthSmallest = 5,       // idp_kth_smallest
  kKthLargest = 6,        // idp_kth_largest
  kTruncatedRange = 7,    // idp_count_range
  kCount = 8,             // dp_count
  kCountRange = 9,        // dp_count_range
  kPrivateMedian = 10,    // dp_median
  kPrivateQuantile = 11,  // dp_quantile
  kPrivateMin = 12,       // dp_min
  kPrivateMax = 13,       // dp_max
  kSum = 14,              // idp_sum
  kAverage = 15,          // idp_avg
  kVariance = 16,         // idp_variance
  kStddev = 17,           // idp_stddev
  kPrivateSum = 18,       // dp_sum
  kPrivateAverage = 19,   // dp_avg
  kPrivateVariance = 20,  // dp_variance
  kPrivateStddev = 21,    // dp_stddev
  kDistinct = 22,         // dp_count_distinct
  kHistogram = 23,        // dp_histogram
  kSmoothMedian = 24,     // dp_median_smooth
  kSmoothQuantile = 25,   // dp_quantile_smooth
  kSmoothMax = 26,        // dp_max_smooth
  kGlobalMedian = 27,     // dp_median_global
  kGlobalMax = 28,        // dp_max_global
};
inline constexpr int kStatistics = 29;

// What an aggregate keeps of its rows.
enum class Collects : std::uint8_t {
  kNothing,   // statistic kNone
  kRows,      // how many there were
  kValues,    // every value
  kDistinct,  // every different value, at least once
  kMoments,   // sums of powers, and the ends
  kBuckets,   // how many values fell into each bucket
};

// How the answer is made of it.
enum class Mechanism : std::uint8_t {
  kNone,
  kLocal,        // discrete Laplace noise of the local sensitivity: individually private
  kTruncated,    // the same, truncated to one step either way
  kGlobal,       // discrete Laplace noise of the global sensitivity
  kExponential,  // the exponential mechanism over the public grid
  kSmooth,       // heavy-tailed noise of the smooth sensitivity
};

Collects collects(Statistic statistic);
Mechanism mechanism(Statistic statistic);

// The parameters a statistic may have.
enum class Parameter : std::uint8_t { kEpsilon, kFraction, kK, kLower, kUpper, kBuckets, kGamma };

// The fraction of a statistic that has one without being told: 0.5 for medians, otherwise 0.
double fixed_fraction(Statistic statistic);

// The least epsilon that is answered: 1e-18. There the noise of a count is about as large as the
// largest bigint, so a smaller one would buy nothing, and a ledger that counts epsilons as exact
// decimals would keep hundreds of digits.
inline constexpr double kLeastEpsilon = 1e-18;

inline constexpr int kMaxGroup = 32;  // the largest group that can be protected by itself
inline constexpr std::int64_t kMaxBuckets = 100000;
inline constexpr std::int64_t kMaxK = 0x7fffffff;  // of kK
inline constexpr std::int64_t kDefaultGamma = 3;

struct Spec {
  Statistic statistic = Statistic::kNone;
  std::uint8_t groups = 1;  // how many epsilons: more than 1 for group privacy
  Grid grid;
  double epsilon = 0;   // the first of them
  double fraction = 0;  // quantiles only, and 0.5 for medians
  std::int64_t k = 0;   // kK, kBuckets or kGamma: no statistic has two of them
  Key128 lower{0, 0};   // bounds as keys of the grid, narrow ones widened
  Key128 upper{0, 0};

  bool has(Parameter parameter) const;
  Collects collects() const { return idp::collects(statistic); }
  // whether values are kept, so that the state grows with them
  bool keeps_keys() const {
    return collects() == Collects::kValues || collects() == Collects::kDistinct;
  }

  template <class Key>
  Key lower_as() const;
  template <class Key>
  Key upper_as() const;

  friend bool operator==(const Spec&, const Spec&) = default;
};

Key128 widen(Key64 key);
inline Key128 widen(Key128 key) { return key; }
Key64 narrow(Key128 key);  // the inverse of widen(Key64)

// A parameter that breaks its rule. Nothing here holds a value: a message may be read by anyone.
struct Violation {
  const char* argument;  // "epsilon"
  const char* rule;      // "must be a finite number greater than 0"
  bool out_of_range;     // numeric_value_out_of_range rather than invalid_parameter_value
};

inline constexpr Violation kCrossedBounds{"lower", "must not be greater than upper", false};

// The first parameter of the spec that breaks its rule, if any: the one place where the rules
// stand. epsilons[i] protects groups of i + 1 records; the first is spec.epsilon.
std::optional<Violation> find_violation(const Spec& spec, std::span<const double> epsilons);
std::optional<Violation> find_violation(const Spec& spec);  // of a spec with one epsilon

// The same for what is stored already, whose epsilons may be less than kLeastEpsilon.
std::optional<Violation> find_violation_of_stored(const Spec& spec,
                                                  std::span<const double> epsilons);

// The rule for epsilons alone. several: whether they were given as an array.
std::optional<Violation> find_violation_of_epsilons(std::span<const double> epsilons, bool several);

}  // namespace idp
