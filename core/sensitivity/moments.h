// How far a group of records can move a sum, an average, a variance: exactly.
//
// Offsets t_1 <= … <= t_n in [0, W] (core/grid/offsets.h), T their sum, Q the sum of their squares;
// values x_i = t_i + L in steps, between the bounds L and U = L + W. D' is at distance j of D if j
// substitutions, additions and removals make it from D. An extent is the least and the greatest
// f(D') over all D' at distance at most j, D itself among them; so LS^(j) is the farther of its
// ends from f(D).
//
// Sum S:  greatest  S + j max(U, 0) + sum over i <= min(j, n) of max(-x_i, 0)
//         least     S + j min(L, 0) - sum over i <= min(j, n) of max(x_{n+1-i}, 0)
//   A change takes a value x away or puts a value y in, or both, so it adds at most max(-x, 0) +
//   max(y, 0) with y <= U, and each record can be taken away once: no more than the sum above. It
//   is reached: with each x_i < 0 as far as j goes, substitute it by U if U > 0 and remove it
//   otherwise; spend the changes that are left on adding U if U > 0. (x_i >= 0 has nothing to
//   give.) The least is the greatest of -S. For j = 1 the farther end is at
//   max(U - x_1, x_n - L, |L|, |U|, |x_1|, |x_n|), the formula of the privacy contract.
//
// Average m = S/n, the middle (L + U)/2 if n = 0; c = min(j, n):
//         greatest  m + (sum over i <= c of (W - t_i))/n     n = 0: U
//         least     m - (sum over i <= c of t_{n+1-i})/n     n = 0: L
//   That is c substitutions of the smallest values by U. No D' does better: what is put in may be
//   taken to be U. Let r records be removed, s substituted, a added, s + r + a <= j. If a < r, then
//   r - a more times U do not lower the average, and make D' a D with s + r <= j substitutions. If
//   a > r, then without the a - r smallest of the old records it is not lower either, and D' is a D
//   with s + a <= j substitutions; are there fewer old ones, then without all of them it is U, as
//   after n < s + a substitutions. And the best substitutions take the smallest. If no record is
//   left, (L + U)/2 <= U. So additions and removals never decide.
//
// Population variance V = Q/n - (T/n)^2, 0 if n = 0; distance 1 only. Of D with a substituted by y
//         n^2 V' = n (Q - a^2 + y^2) - (T - a + y)^2,
//   (n - 1) y^2 + … in y, convex, with its vertex at the mean of the other records, and
//   -(n + 1) a^2 + … in a, concave, with its vertex at (T + y)/(n + 1).
//         least     exact: a is x_1 or x_n by concavity, y a grid value next to the vertex
//         greatest  y is 0 or W by convexity; a is the record nearest to the vertex. Which records
//                   there are between t_1 and t_n is not known, so any integer is taken to be one
//                   that can be: a bound, and exact if a record is the integer nearest to the
//                   vertex.
//   The m = n - 2 records between have the sum M = T - t_1 - t_n and squares R = Q - t_1^2 - t_n^2,
//   so each is within sqrt((m - 1)(m R - M^2))/m of M/m (Samuelson's inequality): with n <= 3, or
//   if they are all equal, they are known exactly.
//   How loose the bound is: count values from the mean, let Y be the bound farther from it and e
//   the record farthest from it. Then the bound moves V by Y^2/(n + 1) (that of removals by less
//   than LS), and LS is at least e^2/(n - 1), that record put on the mean of the others, and
//   ((n - 1) Y^2 - (n + 1) e^2)/n^2, any record on the side of Y put there. So it is at most
//   2 + 1/(n^2 - 1) times LS, but for the rounding of that mean: with two heaps far from the mean
//   and nothing between. Where records lie round the mean it is close to 1.
//   Adding y     (n + 1)^2 V' = n y^2 - 2 T y + …, convex with vertex T/n: both ends are exact.
//   Removing a   (n - 1)^2 V' = -n a^2 + 2 T a + …, concave with vertex T/n: the least is exact,
//   the greatest a bound as above.
//   Every pair (a, y) looked at moves both ends of the extent: no record a that can be and no y in
//   [0, W] leads beyond the least and the greatest above, so that does no harm.
//
// Standard deviation: the square root of V is increasing, so its extent is that of V.
//
// All against brute force in the tests.
// Source: Soria-Comas et al. 2017, Definition 6 (distance j) and Theorem 5.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstddef>
#include <vector>

#include "core/collect/moments.h"
#include "core/grid/grid.h"
#include "core/sensitivity/linear_moments.h"

namespace idp {

using StepBounds = BoundsInSteps<mpz_class>;

// Of keys of the grid, narrow ones widened.
StepBounds step_bounds(const Grid& grid, Key128 lower, Key128 upper);

// In steps; variances in steps squared.
struct Extent {
  mpq_class least;
  mpq_class greatest;
};

struct LocalMoments {
  mpq_class value;              // f(D)
  std::vector<Extent> extents;  // at distance 1, 2, …
};

// Of a standard deviation what belongs to V. As many distances as asked for, at most as many as
// there are ends in the totals; one for the last two moments.
LocalMoments local_moments(Moment moment, const MomentTotals& totals, const StepBounds& bounds,
                           std::size_t distances);

}  // namespace idp
