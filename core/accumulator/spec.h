// What one aggregate call asks for: which statistic, over which grid, with which parameters. It is
// fixed before the first row and travels inside the aggregate's state, so that whoever finishes the
// aggregate (the leader of a parallel plan, another server) knows everything.
#pragma once

#include "core/no_postgres.h"

#include <cstdint>
#include <optional>

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
};
inline constexpr int kStatistics = 14;

// Whether the aggregate collects the values themselves; otherwise it only counts rows.
bool collects_values(Statistic statistic);

// Whether it is an order statistic by the exponential mechanism, epsilon-DP and always answered.
bool is_private_quantile(Statistic statistic);

// The parameters a statistic may have.
enum class Parameter : std::uint8_t { kEpsilon, kFraction, kK, kLower, kUpper };

// The fraction of a statistic that has one without being told: 0.5 for medians, otherwise 0.
double fixed_fraction(Statistic statistic);

struct Spec {
  Statistic statistic = Statistic::kNone;
  Grid grid;
  double epsilon = 0;
  double fraction = 0;  // quantiles only, and 0.5 for medians
  std::int64_t k = 0;   // k-th smallest and largest only
  Key128 lower{0, 0};   // bounds as keys of the grid, narrow ones widened
  Key128 upper{0, 0};

  bool has(Parameter parameter) const;
  bool collects_values() const { return idp::collects_values(statistic); }

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
// stand.
std::optional<Violation> find_violation(const Spec& spec);

}  // namespace idp
