// Local sensitivity of statistics of several ranks: the distance of two quantiles, the average
// between two quantiles, the median absolute deviation.
//
// Sorted inputs x_1 <= … <= x_n, x_0 the public bound `lower` and x_{n+1} `upper`, where there are
// such. Neighbours substitute, add or remove one record. Each function returns f(D) and an interval
// that holds f(D') of every neighbour D', or nothing where f is undefined on a neighbour or a bound
// would be needed that is not there: the sensitivity is then unbounded.
//
// With a record v added, x'_s = clamp(v, x_{s-1}, x_s). With record i removed, z_s = x_s below i
// and x_{s+1} from i on. Ranks follow n. Substituting is both, and the ranks stay.
//
// 1. Interquantile range, f = x_b - x_a, a <= b the nearest ranks of two fractions. f(D') is the
//    difference of two clamps of v, linear between the values that v is clamped to: its extremes
//    are found by trying v at these four, for each way in which a removed record lies below, at,
//    between or above a and b. All of it takes x_{a-1} … x_{a+1} and x_{b-1} … x_{b+1}. Exactly
//    tight: the ends are values of neighbours.
//
// 2. Trimmed average: g = floor(fraction n) values are cut off at either end, and f = T/(n - 2g), T
//    the sum of x_L … x_H, L = g + 1, H = n - g. Write S(i, j) for the sum of x_i … x_j.
//      added        T' = S(L', H' - 1) + clamp(v, x_{L'-1}, x_{H'}): from S(L' - 1, H' - 1) to
//                   S(L', H'), L' and H' those of n + 1
//      removed      from S(L'', H'') to S(L'' + 1, H'' + 1), L'' and H'' those of n - 1: removing
//                   x_i inside leaves S(L'', H'' + 1) - x_i
//      substituted  from S(L - 1, H - 1) to S(L + 1, H + 1)
//    As g changes by at most one, x_{L-1} … x_{L+1} and x_{H-1} … x_{H+1} are enough. Exactly
//    tight. Where g >= 1 for n - 1 records no bound is needed.
//
// 3. Median absolute deviation: m = x_r the lower median, f the value of rank r among |x_i - m|.
// Let
//    d_k(c) be the value of rank k among |x_i - c|, d_0 = 0 and d_{n+1}(c) = max(c - lower, upper -
//    c). The median m' of a neighbour lies in [x_{r-1}, x_{r+1}]; and around a centre that is kept,
//    f moves by one place at most: d_{r-1}(m') <= f(D') <= d_{r+1}(m'). Every deviation, and so
//    every d_k, changes by at most |c - c'| from one centre to another. So for m' between a and b
//      f(D') <= (d_{r+1}(a) + d_{r+1}(b) + b - a)/2,   f(D') >= (d_{r-1}(a) + d_{r-1}(b) - (b -
//      a))/2
//    which is applied to x_{r-1} … x_r and to x_r … x_{r+1}. Never below the local sensitivity, but
//    not exactly it: 1.22 times as large on average and at most twice for 31 rows of a normal law,
//    1.33 times and at most four times for 5 to 10 rows of small integers, more for fewer rows.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstdint>
#include <optional>

#include "core/select/ranked_data.h"

namespace idp {

// f(D), and where f(D') lies: least <= at <= greatest, in steps.
struct Spread {
  mpq_class at;
  mpq_class least;
  mpq_class greatest;

  mpq_class sensitivity() const { return greatest - at > at - least ? greatest - at : at - least; }
};

// In steps; data lie between those that are there.
struct StepEnds {
  std::optional<mpz_class> lower;
  std::optional<mpz_class> upper;
};

// 0 <= low <= high <= 1
std::optional<Spread> interquantile_range(const RankedSteps& data, double low, double high,
                                          const StepEnds& ends);

// 0 <= fraction < 1/2; cuts off floor(fraction n), computed as a double, but leaves a value.
std::int64_t trimmed_at_each_end(double fraction, std::int64_t n);
std::optional<Spread> trimmed_average(const RankedSteps& data, double fraction,
                                      const StepEnds& ends);

std::optional<Spread> median_absolute_deviation(const RankedSteps& data, const StepEnds& ends);

}  // namespace idp
