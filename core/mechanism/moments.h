// The release of sums, averages, variances and standard deviations.
//
// The individually private ones draw from
//
//   f_g(D) + N,  f_g = floor(f / unit) on the grid of core/mechanism/result_grid.h,
//   N discrete Laplace as core/mechanism/frozen.h draws it
//
// with Delta_j the greatest |f_g(D') - f_g(D)| over all D' at distance at most j. It is computed
// from the extents of core/sensitivity/moments.h: floor, and the integer square root, are
// increasing, so f_g(D') lies between f_g of the least and of the greatest f(D'), and Delta_j is
// the greater of the two differences of integers. It is that maximum exactly wherever the extent
// is; rounding asks for no allowance, because it is part of the f that is protected. So the release
// is (epsilon_1, …, epsilon_g)-group iDP, with g = 1 epsilon-iDP (Theorem 5). If no neighbour moves
// f_g the answer is exact.
//
// An average of no rows is the middle of the bounds, a variance of none is 0: there is always an
// answer. Answers are not clamped: a noisy variance may be negative. To clamp it would be free, but
// would bias small ones, and is left to the reader.
//
// The others are epsilon-DP: core/mechanism/private_moments.h.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstddef>

#include "core/collect/moments.h"
#include "core/mechanism/frozen.h"
#include "core/mechanism/result_grid.h"

namespace idp {

// The totals have as many ends as there are distances; only the sum and the average can have more
// than one.
Frozen freeze_local_moments(const MomentQuestion& question, const MomentTotals& totals,
                            std::size_t distances);

Number answer_local_moments(const MomentQuestion& question, const Frozen& frozen,
                            const mpz_class& noise);

}  // namespace idp
