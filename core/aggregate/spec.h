// What one aggregate call asks for: which statistic, over which grid, with which parameters. It is
// fixed before the first row. How it is kept is in stored_spec.h.
#pragma once

#include "core/no_postgres.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/aggregate/statistic.h"
#include "core/aggregate/violation.h"
#include "core/collect/moments.h"
#include "core/grid/grid.h"
#include "core/grid/key.h"
#include "core/mechanism/result_grid.h"
#include "core/sensitivity/order_statistic.h"

namespace idp {

// The least epsilon that is answered: 1e-18. There the noise of a count is about as large as the
// largest bigint, so a smaller one would buy nothing, and a ledger that counts epsilons as exact
// decimals would keep hundreds of digits.
inline constexpr double kLeastEpsilon = 1e-18;

// Likewise the least delta.
inline constexpr double kLeastDelta = 1e-30;

inline constexpr int kMaxGroup = kMostDistances;  // the largest group that can be protected
inline constexpr std::int64_t kMaxBuckets = 100000;
inline constexpr std::int64_t kMaxK = 0x7fffffff;
inline constexpr std::int64_t kDefaultGamma = 3;

struct Spec {
  Statistic statistic = Statistic::kNone;
  std::uint8_t groups = 1;  // how many epsilons: more than 1 for group privacy
  Grid grid{};
  double epsilon = 0;   // the first of them
  double fraction = 0;  // quantiles only, and 0.5 for medians
  double delta = 0;
  std::int64_t k = 0;
  std::int64_t buckets = 0;
  std::int64_t gamma = 0;
  Key128 lower{0, 0};  // bounds as keys of the grid, narrow ones widened
  Key128 upper{0, 0};

  bool has(Parameter parameter) const { return row_of(statistic).has(parameter); }
  Collects collects() const { return row_of(statistic).collects; }
  Mechanism mechanism() const { return row_of(statistic).mechanism; }
  bool keeps_keys() const { return row_of(statistic).keeps_keys(); }

  template <class Key>
  Key lower_as() const {
    return key_as<Key>(lower);
  }
  template <class Key>
  Key upper_as() const {
    return key_as<Key>(upper);
  }

  friend bool operator==(const Spec&, const Spec&) = default;
};

// Whether the statistic is of columns with that grid, which is one that a type can have.
bool fits(const Grid& grid, Statistic statistic);

// The first parameter of the spec that breaks its rule, if any: the one place where the rules
// stand. epsilons[i] protects groups of i + 1 records; the first is spec.epsilon.
std::optional<Violation> find_violation(const Spec& spec, std::span<const double> epsilons);
std::optional<Violation> find_violation(const Spec& spec);  // of a spec with one epsilon

// The same for what is stored already, whose epsilons may be less than kLeastEpsilon.
std::optional<Violation> find_violation_of_stored(const Spec& spec,
                                                  std::span<const double> epsilons);

// The rule for epsilons alone. several: whether they were given as an array.
std::optional<Violation> find_violation_of_epsilons(std::span<const double> epsilons, bool several);

// The rank the statistic asks for among n values; outside [1, n] if there is none.
std::int64_t rank_of(const Spec& spec, std::int64_t n);

// The questions that a spec puts to the folders before this one, in their terms.
template <class Key>
PublicBounds<Key> bounds_of(const Spec& spec) {
  PublicBounds<Key> bounds;
  if (spec.has(Parameter::kLower)) bounds.lower = spec.lower_as<Key>();
  if (spec.has(Parameter::kUpper)) bounds.upper = spec.upper_as<Key>();
  return bounds;
}
inline MomentQuestion moment_question(const Spec& spec) {
  return {row_of(spec.statistic).moment, spec.grid, spec.lower, spec.upper};
}
constexpr MomentLayout moment_layout(Statistic statistic, std::size_t groups) {
  const StatisticRow& row = row_of(statistic);
  return {needs_squares(row.moment), row.mechanism == Mechanism::kLocal ? groups : 0};
}
inline MomentLayout moment_layout(const Spec& spec) {
  return moment_layout(spec.statistic, spec.groups);
}

}  // namespace idp
