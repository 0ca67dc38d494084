// Helpers to write down specs and data sets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "core/aggregate/spec.h"
#include "core/select/values.h"
#include "core/sensitivity/order_statistic.h"

namespace idp::test {

inline constexpr Grid kInt64Grid{ValueType::kInt64};
inline constexpr Grid kFloat64Grid{ValueType::kFloat64};

inline Spec spec_of(Statistic statistic, Grid grid = kInt64Grid) {
  Spec spec;
  spec.statistic = statistic;
  spec.grid = grid;
  spec.epsilon = 1;
  return spec;
}

inline Spec median(Grid grid = kInt64Grid) {
  Spec spec = spec_of(Statistic::kMedian, grid);
  spec.fraction = 0.5;
  return spec;
}

inline Spec quantile(double fraction, Grid grid = kInt64Grid) {
  Spec spec = spec_of(Statistic::kQuantile, grid);
  spec.fraction = fraction;
  return spec;
}

template <class Key>
Spec minimum(Key lower, Grid grid = kInt64Grid) {
  Spec spec = spec_of(Statistic::kMin, grid);
  spec.lower = widen(lower);
  return spec;
}

template <class Key>
Spec maximum(Key upper, Grid grid = kInt64Grid) {
  Spec spec = spec_of(Statistic::kMax, grid);
  spec.upper = widen(upper);
  return spec;
}

inline Spec kth_smallest(std::int64_t k, Grid grid = kInt64Grid) {
  Spec spec = spec_of(Statistic::kKthSmallest, grid);
  spec.k = k;
  return spec;
}

inline Spec kth_largest(std::int64_t k, Grid grid = kInt64Grid) {
  Spec spec = spec_of(Statistic::kKthLargest, grid);
  spec.k = k;
  return spec;
}

// Cuts values into at most `pieces` contiguous runs, some of them empty.
template <class Key>
std::vector<std::span<const Key>> cut(std::span<const Key> values, int pieces,
                                      std::mt19937_64& random) {
  std::vector<std::size_t> cuts{0, values.size()};
  for (int i = 1; i < pieces; ++i) cuts.push_back(random() % (values.size() + 1));
  std::sort(cuts.begin(), cuts.end());
  std::vector<std::span<const Key>> runs;
  for (std::size_t i = 1; i < cuts.size(); ++i) {
    runs.push_back(values.subspan(cuts[i - 1], cuts[i] - cuts[i - 1]));
  }
  return runs;
}

// Runs as what the library asks.
template <class Key>
ValuesInMemory<Key> in_memory(Runs<Key> runs, StopCheck stop = nullptr) {
  return {runs, std::pmr::new_delete_resource(), stop};
}

template <class Key>
std::vector<Neighbourhood<Key>> neighbourhoods_in(const Spec& spec, const Values<Key>& values) {
  return neighbourhoods<Key>(values, rank_of(spec, values.size()), spec.groups,
                             bounds_of<Key>(spec));
}

// What the library says about one data set, at each distance; empty if that is unbounded.
template <class Key>
std::vector<Neighbourhood<Key>> neighbourhoods_of(const Spec& spec,
                                                  const std::vector<Key>& values) {
  const std::span<const Key> run(values);
  return neighbourhoods_in<Key>(spec, in_memory<Key>({&run, 1}));
}

// At distance 1.
template <class Key>
std::optional<Neighbourhood<Key>> neighbourhood_of(const Spec& spec,
                                                   const std::vector<Key>& values) {
  const auto around = neighbourhoods_of(spec, values);
  if (around.empty()) return std::nullopt;
  return around.front();
}

inline mpz_class sensitivity_of(const Grid& grid, const Neighbourhood<Key64>& around) {
  return local_sensitivity(grid.units(around.below), grid.units(around.at),
                           grid.units(around.above));
}

}  // namespace idp::test
