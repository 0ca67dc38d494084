// The release of sums, averages, variances and standard deviations.
//
// kSum, kAverage, kVariance, kStddev draw from
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
// The other four are epsilon-DP: core/mechanism/private_moments.h.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstdint>
#include <span>

#include "core/accumulator/spec.h"
#include "core/mechanism/frozen.h"
#include "core/mechanism/result_grid.h"

namespace idp {

// words hold count rows of the spec, and are sound if they came from outside. Sensitivities at
// spec.groups distances; only the sum and the average can have more than one.
Frozen freeze_moments(const Spec& spec, const std::uint64_t* words, std::int64_t count);

// One noise for each value.
Number answer_moments(const Spec& spec, const Frozen& frozen, std::span<const mpz_class> noise);

}  // namespace idp
