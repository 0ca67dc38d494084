// Of which values an answer is made, where these are few: those near a rank or two.
//
// Let x_1 <= … <= x_n be the values that an aggregate has collected. What it answers, freezes and
// draws is a function of n and of the x_i whose rank i is in near_ranks(), and of nothing else:
//
//   local sensitivity   x_{r-g}, …, x_{r+g} for groups of up to g records (order_statistic.h: what
//                       lies beyond an end is a public bound, or suppresses the answer)
//   global sensitivity  x_r; how far it may move is how far the public bounds are apart
//   quartiles           x_{a-1}, …, x_{a+1} and x_{b-1}, …, x_{b+1} for their ranks a and b
//                       (spread.h: one record more or less moves a rank by one place at most)
//
// So any other values y_1 <= … <= y_n with y_i = x_i at these ranks answer the same, to the last
// bit of noise, and a named release that keeps what was frozen keeps the same. In particular values
// that are moved by a function that is monotone, and leaves the values at these ranks alone: such a
// function commutes with sorting, y_i is what it makes of x_i.
#pragma once

#include "core/no_postgres.h"

#include <cstdint>

#include "core/aggregate/spec.h"

namespace idp {

// From the first rank to the last one.
struct RankRange {
  std::int64_t first;
  std::int64_t last;
};
inline constexpr int kMostRankRanges = 2;

// Whether what is said above holds of the statistic.
bool is_near_ranks(Statistic statistic);

// Of n values, the ranks that matter, within [1, n]; how many ranges. They may overlap.
int near_ranks(const Spec& spec, std::int64_t n, RankRange* ranges);

}  // namespace idp
