// Sums, averages and variances by definition, over every neighbour. Shares no formula with the
// library.
#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "core/aggregate/payload.h"
#include "core/aggregate/spec.h"
#include "core/collect/moments.h"
#include "core/grid/offsets.h"
#include "tests/support/brute_force.h"
#include "tests/support/data.h"

namespace idp::test {

template <class Key>
Spec moments(Statistic statistic, Key lower, Key upper, Grid grid = kInt64Grid, int groups = 1) {
  Spec spec = spec_of(statistic, grid);
  spec.lower = widen(lower);
  spec.upper = widen(upper);
  spec.groups = static_cast<std::uint8_t>(groups);
  return spec;
}

// A state as the glue keeps it.
struct State {
  std::vector<std::uint64_t> words;
  std::int64_t count = 0;
  friend bool operator==(const State&, const State&) = default;
};

inline State empty_state(const Spec& spec) {
  return {std::vector<std::uint64_t>(moment_layout(spec).words(), 0), 0};
}

template <class Key>
void add(const Spec& spec, const Offsets& offsets, State& state, Key key) {
  if constexpr (std::is_same_v<Key, Key64>) {
    add_to_moments(moment_layout(spec), state.words.data(), state.count++, offsets.narrow(key));
  } else {
    add_to_moments(moment_layout(spec), state.words.data(), state.count++, offsets.wide(key));
  }
}

template <class Key>
State state_of(const Spec& spec, const std::vector<Key>& keys) {
  const Offsets offsets(spec.grid, spec.lower, spec.upper);
  State state = empty_state(spec);
  for (const Key& key : keys) add(spec, offsets, state, key);
  return state;
}

inline void merge(const Spec& spec, State& into, const State& from) {
  merge_moments(moment_layout(spec), into.words.data(), into.count, from.words.data(), from.count);
  into.count += from.count;
}

inline bool sound(const Spec& spec, const State& state) {
  return payload_sound(spec, state.count, state.words.data());
}

inline MomentTotals totals_of(const Spec& spec, const State& state) {
  return read_moments(moment_layout(spec), state.words.data(), state.count);
}

// The statistic of integers within the bounds; of a standard deviation the variance.
inline mpq_class brute_moment(Statistic statistic, const Data& data, std::int64_t lower,
                              std::int64_t upper) {
  const mpz_class n = static_cast<unsigned long>(data.size());
  mpz_class sum;
  for (const std::int64_t x : data) sum += static_cast<long>(x);
  if (statistic == Statistic::kSum) return sum;
  if (data.empty()) {
    if (statistic != Statistic::kAverage) return 0;
    mpq_class middle(mpz_class(static_cast<long>(lower + upper)), 2);
    middle.canonicalize();
    return middle;
  }
  mpq_class mean(sum, n);
  mean.canonicalize();
  if (statistic == Statistic::kAverage) return mean;
  mpq_class squares;
  for (const std::int64_t x : data) {
    const mpq_class off = mpq_class(static_cast<long>(x)) - mean;
    squares += off * off;
  }
  return squares / n;
}

// All data sets within each distance 0, 1, …, as sorted lists, with values in [lower, upper].
inline std::vector<std::set<Data>> brute_neighbours(Data data, std::int64_t lower,
                                                    std::int64_t upper, std::size_t distances) {
  std::sort(data.begin(), data.end());
  std::vector<std::set<Data>> within{{data}};
  for (std::size_t j = 0; j < distances; ++j) {
    std::set<Data> next = within.back();
    const auto enter = [&](Data some) {
      std::sort(some.begin(), some.end());
      next.insert(std::move(some));
    };
    for (const Data& old : within.back()) {
      for (std::size_t i = 0; i < old.size(); ++i) {
        if (i > 0 && old[i] == old[i - 1]) continue;
        Data some = old;
        for (std::int64_t y = lower; y <= upper; ++y) {
          some[i] = y;
          enter(some);
        }
        some.erase(some.begin() + static_cast<std::ptrdiff_t>(i));
        enter(some);
      }
      Data more = old;
      more.push_back(0);
      for (std::int64_t y = lower; y <= upper; ++y) {
        more.back() = y;
        enter(more);
      }
    }
    within.push_back(std::move(next));
  }
  return within;
}

}  // namespace idp::test
