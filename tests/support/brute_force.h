// Local sensitivity by definition: build every neighbour, compute the statistic on each. Shares no
// code with the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/accumulator/spec.h"

namespace idp::test {

using Data = std::vector<std::int64_t>;

// The statistic by definition, or nothing where the data have too few rows for it.
inline std::optional<std::int64_t> brute_statistic(const Spec& spec, Data data) {
  const auto lower = static_cast<std::int64_t>(spec.lower.low);
  const auto upper = static_cast<std::int64_t>(spec.upper.low);
  if (spec.statistic == Statistic::kMin) {
    for (auto& x : data) x = std::max(x, lower);
  }
  if (spec.statistic == Statistic::kMax) {
    for (auto& x : data) x = std::min(x, upper);
  }
  std::sort(data.begin(), data.end());
  const auto n = static_cast<std::int64_t>(data.size());
  std::int64_t rank = 0;
  switch (spec.statistic) {
    case Statistic::kMedian:
      rank = (n + 1) / 2;  // the lower median
      break;
    case Statistic::kQuantile:
      // percentile_disc: the first value whose cumulative share is at least the fraction
      rank = 1;
      while (rank < n && static_cast<double>(rank) < spec.fraction * static_cast<double>(n)) ++rank;
      break;
    case Statistic::kMin:
      rank = 1;
      break;
    case Statistic::kMax:
      rank = n;
      break;
    case Statistic::kKthSmallest:
      rank = spec.k;
      break;
    case Statistic::kKthLargest:
      std::reverse(data.begin(), data.end());
      rank = spec.k;
      break;
    default:
      return std::nullopt;
  }
  if (n == 0 || rank < 1 || rank > n) return std::nullopt;
  return data[static_cast<std::size_t>(rank - 1)];
}

// All data sets one record away, the record's values taken from [-reach, reach].
template <class Visit>
void for_each_neighbour(const Data& data, std::int64_t reach, Visit visit) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    Data removed = data;
    removed.erase(removed.begin() + static_cast<std::ptrdiff_t>(i));
    visit(removed);
    Data substituted = data;
    for (std::int64_t x = -reach; x <= reach; ++x) {
      substituted[i] = x;
      visit(substituted);
    }
  }
  Data added = data;
  added.push_back(0);
  for (std::int64_t x = -reach; x <= reach; ++x) {
    added.back() = x;
    visit(added);
  }
}

// max |f(D') - f(D)| over those neighbours; nothing if f is undefined on D or on one of them.
inline std::optional<std::int64_t> brute_sensitivity(const Spec& spec, const Data& data,
                                                     std::int64_t reach) {
  const auto at = brute_statistic(spec, data);
  if (!at) return std::nullopt;
  std::int64_t worst = 0;
  bool defined = true;
  for_each_neighbour(data, reach, [&](const Data& neighbour) {
    const auto there = brute_statistic(spec, neighbour);
    if (there) {
      worst = std::max(worst, std::abs(*there - *at));
    } else {
      defined = false;
    }
  });
  if (!defined) return std::nullopt;
  return worst;
}

// The local sensitivity over all integers: nothing if it is unbounded or undefined. The values of
// the data and the bounds must lie in [-reach, reach]: no bounded move is then longer than 2 reach,
// and a move to a record at 3 reach + 1 is, so an unbounded sensitivity grows with the domain.
inline std::optional<std::int64_t> brute_sensitivity_everywhere(const Spec& spec, const Data& data,
                                                                std::int64_t reach) {
  const auto near = brute_sensitivity(spec, data, 3 * reach + 1);
  const auto far = brute_sensitivity(spec, data, 3 * reach + 2);
  return near == far ? near : std::nullopt;
}

}  // namespace idp::test
