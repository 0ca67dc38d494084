// The individually private release of statistics of several ranks: the interquartile range, the
// median absolute deviation, the average between two quantiles.
//
// Draws from: f_g(D) + N steps, f_g = floor(f / step), N discrete Laplace with alpha = exp(-epsilon
// / Delta), Delta the greatest |f_g(D') - f_g(D)| that the interval of core/sensitivity/spread.h
// allows. The step is
//
//   interquartile range, deviation    that of the column
//   trimmed average                   10^-16 of it (numeric without a declared scale: 1 of it)
//   floats                            a power of two that follows the sensitivity, as that of
//                                     order statistics does (order_statistic.h), with random bits
//                                     below it
//
// Why it is epsilon-iDP: floor is monotone, so f_g(D') lies between f_g of the least and of the
// greatest f(D'), and Delta is the greater of two differences of integers: never below the local
// sensitivity of the f_g that is protected (Theorem 5). Delta = 0: no neighbour moves f_g, and the
// answer is exact.
//
// Suppressed: where f is undefined on a neighbour, where a neighbour's answer depends on a value
// beyond the data, or on an infinite one.
#pragma once

#include "core/no_postgres.h"

#include <cstdint>

#include "core/mechanism/frozen.h"
#include "core/mechanism/result_grid.h"
#include "core/random/bit_source.h"
#include "core/select/values.h"

namespace idp {

enum class SpreadKind : std::uint8_t { kNone, kInterquartileRange, kDeviation, kTrimmedAverage };

struct SpreadQuestion {
  SpreadKind kind;
  Grid grid;
  double fraction;  // kTrimmedAverage
};

// Throws Stopped.
template <class Key>
Frozen freeze_spread(const SpreadQuestion& question, const Values<Key>& values, double epsilon,
                     const Workspace& space, BitSource& bits);

// Of what that froze, kNoisy. Ranges and deviations are answered as order statistics are.
Number answer_trimmed_average(const Grid& grid, const Frozen& frozen, const mpz_class& noise);

// 10^digits steps of a trimmed average, which is not one of floats, are a step of the column.
long trimmed_average_digits(const Grid& grid);

}  // namespace idp
