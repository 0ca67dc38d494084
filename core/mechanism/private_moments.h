// The epsilon-DP sum, average, variance and standard deviation: noise of the global sensitivity.
//
// Offsets t in [0, W] (core/grid/offsets.h), W > 0; c = 2t - W is the offset from the middle, in
// half steps, and q = 2c^2 - W^2. Both lie round 0: c in [-W, W], q in [-W^2, W^2].
//
//   sum       S + N with rate epsilon/max(W, |L|, |U|), L and U the bounds in steps: a substitution
//             moves S by at most W, adding or removing a record by at most |L| or |U|; where no
//             record is substituted, epsilon/max(|L|, |U|)
//   average   from C = sum of c and the number of rows n, both with noise:
//               C + N(epsilon/(2W)),  n + N(epsilon/2)
//             A substitution moves C by at most 2W and n by 0: it costs epsilon. Adding or removing
//             moves C by at most W and n by 1: epsilon/2 + epsilon/2.
//   variance  from C, Q = sum of q, and n:
//               C + N(8 epsilon/(25 W)),  Q + N(8 epsilon/(25 W^2)),  n + N(9 epsilon/25)
//             With u = c/W in [-1, 1], and v = c'/W of the record put in, d = |u - v|:
//             a substitution costs 8/25 epsilon (d + 2 |u^2 - v^2|), and |u + v| <= 2 - d, so
//               d + 2 |u^2 - v^2| <= d + 2d (2 - d) = 25/8 - 2 (d - 5/4)^2 <= 25/8:
//             epsilon at most. Adding or removing costs 8/25 epsilon (|u| + |2u^2 - 1|) + 9/25
//             epsilon, and |u| + |2u^2 - 1| <= 2 because both are at most 1: epsilon at most.
//             Both are reached, so nothing is left to gain in one part without loss in another.
//
// Why it is epsilon-DP: the draws N are independent discrete Laplace ones with alpha = exp(-rate),
// so the probability of a set of noisy sums changes by a factor of at most exp of the sum of
// rate * |change|, the cost. (With rates epsilon/(4W), epsilon/(4W^2), epsilon/2, as if the worst c
// and the worst q of one substitution came together, the variance of the answer would be greater
// for all data: 4 + 64 a^2 + 4 b^2 against 2.44 + 39.1 a^2 + 7.72 b^2, in units of W^4/(8 n^2
// epsilon^2) to first order, with a = |mean of u|, b = |1/2 - mean of u^2 + 2a^2| <= 1/2 + a^2.)
//
// The rest is post-processing: there is an answer only if the noisy n supports one
// (noisy_count.h), by its rate epsilon/2 or 9 epsilon/25; the middle + C/(2n) is clamped to the
// bounds; the variance ((Q/n + W^2)/2 - (C/n)^2)/4 to [0, W^2/4], which holds every variance
// between the bounds; the standard deviation is the root; and floor puts the answer on the result
// grid, which is public. W = 0: the data say nothing but how many they are. C and Q are 0 and get
// no noise, n gets the same, and the answer is the bound, or 0 for a spread.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstddef>
#include <optional>
#include <span>

#include "core/collect/moments.h"
#include "core/mechanism/frozen.h"
#include "core/mechanism/result_grid.h"
#include "core/sensitivity/moments.h"

namespace idp {

// The sensitivities of C, Q and n: a noise of rate r stands above for the sensitivity epsilon/r.
struct MomentSensitivities {
  mpq_class centred;
  mpq_class squares;
  mpq_class count;
};

MomentSensitivities average_sensitivities(const mpz_class& width);  // squares: none, 0
MomentSensitivities variance_sensitivities(const mpz_class& width);

// How many values are frozen: (S), (C, n) or (Q, C, n).
std::size_t private_moment_parts(Moment moment);

Frozen freeze_private_moments(Moment moment, const MomentTotals& totals, const StepBounds& bounds,
                              Neighbours neighbours = Neighbours::kSubstitute);

// The answer in steps, a variance in steps squared; of a standard deviation the variance. noisy are
// the frozen values with their noise; a count of less than 1 is taken as 1.
mpq_class private_moment(Moment moment, const StepBounds& bounds, std::span<const mpz_class> noisy);

// The answer on its grid; nothing if the count, without so many values that are clamped, does not
// support one. One noise for each value, drawn for these epsilons.
std::optional<Number> answer_private_moments(const MomentQuestion& question, const Frozen& frozen,
                                             std::span<const double> epsilons,
                                             std::span<const mpz_class> noise,
                                             const mpz_class& clamped = 0);

}  // namespace idp
