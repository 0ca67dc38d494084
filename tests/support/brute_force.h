// Local sensitivity by definition: build every neighbour, compute the statistic on each. Shares no
// code with the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "core/aggregate/spec.h"

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

// All data sets of at most `size` values, sorted, from `domain`.
inline std::vector<Data> data_sets(const Data& domain, std::size_t size) {
  std::vector<Data> all{{}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].size() == size) continue;
    for (const std::int64_t x : domain) {
      if (!all[i].empty() && x < all[i].back()) continue;
      Data longer = all[i];
      longer.push_back(x);
      all.push_back(std::move(longer));
    }
  }
  return all;
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

// max |f(D') - f(D)| over all data sets within that distance, the records taken from a domain that
// ends at -far and far beside the values near 0; nothing if f is undefined on one of them.
inline std::optional<std::int64_t> brute_farthest(const Spec& spec, const Data& data, int distance,
                                                  std::int64_t reach, std::int64_t far) {
  const auto at = brute_statistic(spec, data);
  if (!at) return std::nullopt;
  std::vector<std::int64_t> domain{-far, far};
  for (std::int64_t x = -reach; x <= reach; ++x) domain.push_back(x);
  std::set<Data> seen{data}, ring{data};
  std::int64_t worst = 0;
  for (int step = 0; step < distance; ++step) {
    std::set<Data> next;
    const auto reached = [&](Data there) {
      std::sort(there.begin(), there.end());
      if (seen.insert(there).second) next.insert(std::move(there));
    };
    for (const Data& from : ring) {
      for (std::size_t i = 0; i < from.size(); ++i) {
        Data removed = from;
        removed.erase(removed.begin() + static_cast<std::ptrdiff_t>(i));
        for (const std::int64_t x : domain) {
          Data substituted = removed;
          substituted.push_back(x);
          reached(substituted);
        }
        reached(removed);
      }
      for (const std::int64_t x : domain) {
        Data added = from;
        added.push_back(x);
        reached(added);
      }
    }
    for (const Data& there : next) {
      const auto value = brute_statistic(spec, there);
      if (!value) return std::nullopt;
      worst = std::max(worst, std::abs(*value - *at));
    }
    ring = std::move(next);
  }
  return worst;
}

// The local sensitivity at a distance, over all integers: nothing if it is unbounded or undefined.
// Values and bounds must lie in [-reach, reach]; what can be moved without limit follows `far`.
inline std::optional<std::int64_t> brute_sensitivity_at(const Spec& spec, const Data& data,
                                                        int distance, std::int64_t reach) {
  const auto near = brute_farthest(spec, data, distance, reach, 3 * reach + 1);
  const auto far = brute_farthest(spec, data, distance, reach, 3 * reach + 2);
  return near == far ? near : std::nullopt;
}

}  // namespace idp::test
