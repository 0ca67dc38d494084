// The exponential mechanism by definition: ranks and distances by counting, probabilities by
// summing over every answer. Shares no code with the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "core/aggregate/spec.h"
#include "core/grid/public_grid.h"
#include "core/mechanism/exponential_quantile.h"
#include "core/select/ranked_values.h"
#include "tests/support/brute_force.h"
#include "tests/support/data.h"

namespace idp::test {

template <class Key>
Spec private_quantile(Statistic statistic, double fraction, Key lower, Key upper,
                      Grid grid = kInt64Grid, double epsilon = 1) {
  Spec spec = spec_of(statistic, grid);
  spec.fraction = fraction;
  spec.lower = widen(lower);
  spec.upper = widen(upper);
  spec.epsilon = epsilon;
  return spec;
}

// The rank among n >= 1 values.
inline std::int64_t brute_rank(const Spec& spec, std::int64_t n) {
  if (spec.statistic == Statistic::kPrivateMin) return 1;
  if (spec.statistic == Statistic::kPrivateMax) return n;
  if (spec.statistic == Statistic::kPrivateMedian) return (n + 1) / 2;
  // percentile_disc: the first value whose cumulative share is at least the fraction
  std::int64_t rank = 1;
  while (rank < n && static_cast<double>(rank) < spec.fraction * static_cast<double>(n)) ++rank;
  return rank;
}

// How many records must change for y to be the value of that rank; 0 if there are none.
inline std::int64_t brute_distance(const Data& data, std::int64_t rank, std::int64_t y) {
  if (data.empty()) return 0;
  const std::int64_t below = std::count_if(data.begin(), data.end(), [y](auto x) { return x < y; });
  const std::int64_t up_to =
      std::count_if(data.begin(), data.end(), [y](auto x) { return x <= y; });
  return std::max({std::int64_t{0}, below - rank + 1, rank - up_to});
}

// Data as the mechanism sees them, counted one by one.
class SortedData : public RankedData {
 public:
  explicit SortedData(Data data) : data_(std::move(data)) { std::sort(data_.begin(), data_.end()); }
  std::int64_t size() const override { return static_cast<std::int64_t>(data_.size()); }
  std::vector<mpz_class> values_at(const std::vector<std::int64_t>& ranks) const override {
    EXPECT_TRUE(std::is_sorted(ranks.begin(), ranks.end()));
    std::vector<mpz_class> some;
    for (const std::int64_t i : ranks) {
      some.emplace_back(static_cast<long>(data_.at(static_cast<std::size_t>(i - 1))));
    }
    return some;
  }
  std::pmr::vector<Key128> packed_values(std::int64_t first, std::int64_t last) const override {
    std::pmr::vector<Key128> some;
    for (std::int64_t i = first; i <= last; ++i) {
      some.push_back(key128(Int128{data_.at(static_cast<std::size_t>(i - 1))}));
    }
    return some;
  }
  std::int64_t count_below(const mpz_class& y) const override {
    return std::lower_bound(data_.begin(), data_.end(), y.get_si()) - data_.begin();
  }
  std::int64_t count_at_most(const mpz_class& y) const override {
    return std::upper_bound(data_.begin(), data_.end(), y.get_si()) - data_.begin();
  }

 private:
  Data data_;
};

// A draw with every distance up to reach a border and no other; reach 0: the usual ones.
inline mpz_class draw_exponential(const RankedData& data, const BoundedRank& at, double epsilon,
                                  BitSource& bits, std::int64_t reach) {
  if (reach == 0) return exponential_quantile(data, at, epsilon, bits);
  const std::int64_t farthest = std::max(at.rank, data.size() - at.rank + 1);
  Borders borders;
  for (std::int64_t d = 0; d <= std::min(reach, farthest); ++d) borders.push_back(d);
  return exponential_quantile(data, at, epsilon, borders, bits);
}

// The same of a column.
template <class Key>
Key release_private_quantile(const Spec& spec, const Values<Key>& values, BitSource& bits,
                             std::int64_t reach, StopCheck stop = nullptr) {
  const PublicGrid<Key> grid(spec.grid, spec.lower_as<Key>(), spec.upper_as<Key>());
  const RankedValues<Key> data(values, grid, {std::pmr::new_delete_resource(), stop});
  return grid.answer(draw_exponential(
      data, {rank_of(spec, data.size()), grid.lower(), grid.upper()}, spec.epsilon, bits, reach));
}

// Probabilities of the answers lower, lower + 1, …, upper.
using Law = std::vector<long double>;

inline Law normalized(Law weights) {
  long double total = 0;
  for (const long double w : weights) total += w;
  for (long double& w : weights) w /= total;
  return weights;
}

inline Law brute_law(const Data& data, std::int64_t rank, std::int64_t lower, std::int64_t upper,
                     long double epsilon) {
  Law law;
  for (std::int64_t y = lower; y <= upper; ++y) {
    const auto distance = static_cast<long double>(brute_distance(data, rank, y));
    law.push_back(std::exp(-epsilon / 2 * distance));
  }
  return normalized(std::move(law));
}

// The greatest log(a(y) / b(y)) over all y, either way round.
inline long double worst_log_ratio(const Law& a, const Law& b) {
  long double worst = 0;
  for (std::size_t y = 0; y < a.size(); ++y)
    worst = std::max(worst, std::abs(std::log(a[y] / b[y])));
  return worst;
}

}  // namespace idp::test
