// Smooth sensitivity of order statistics.
//
// Data x_1 <= … <= x_n in [lower, upper], x_i = lower for i <= 0 and upper for i > n; f(D) = x_r.
// Write y_t = x_{r+t}: the data as seen from the answer. Neighbours substitute, add or remove one
// record.
//
//   A_k(D) = max over 0 <= t <= k+1 of (y_t - y_{t-k-1})
//   S(D)   = max over k >= 0 of exp(-beta k) A_k(D)
//          = max over i <= r <= j, i < j, of (x_j - x_i) exp(-beta (j-i-1))
//
// Why S is a beta-smooth upper bound on the local sensitivity LS, that is LS(D) <= S(D) and
// S(D) <= e^beta S(D') for neighbours:
//   - A neighbour's values move one way only: either y_t <= y'_t <= y_{t+1} for all t, or
//     y_{t-1} <= y'_t <= y_t for all t. A record substituted by a greater one moves the values
//     between its old and its new place up by one place, by a smaller one down, and r stays. A
//     record more leaves each x_i or makes it smaller, down to x_{i-1}, while r stays or grows by
//     one (see nearest_rank): seen from r, down by a place or up by one. A record less is the same
//     from the other side.
//   - So f moves to y_1 or y_{-1} at most, and LS <= A_0 <= S.
//   - So y'_t - y'_{t-k-1} is at most y_{t+1} - y_{t-k-1} or y_t - y_{t-k-2}, both of them in
//     A_{k+1}(D): A_k(D') <= A_{k+1}(D), hence exp(-beta k) A_k(D') <= e^beta S(D) for all k.
//   - No records: f = floor((lower + upper)/2) and S = W = upper - lower, the greatest value S can
//     have. With one record x, f moves to the middle by at most max(x - lower, upper - x) = A_0,
//     and S({x}) >= exp(-beta) A_1 = exp(-beta) W.
// It is the least such bound for n >= 1, since A_k is the greatest LS within distance k: setting
// the k records between x_i and x_j to x_i up to rank r and to x_j above makes LS = x_j - x_i. (For
// n = 0 the least one is max(ceil(W/2), exp(-beta) W).)
//
// Not the least, but bounded in time and memory: beyond kFarthest = 2^17 places no value is looked
// at, and S is replaced by max(S, exp(-beta kFarthest) W); for beta <= 2^-30 it is W. A constant is
// smooth, and so is the greater of two smooth bounds. For beta > 2^-30 it is S itself unless S is
// below exp(-2^17 beta) W: with epsilon = 0.001 and gamma = 3 that is 10^-19 of the range.
//
// The price: more than 2^17 values on either side of the answer that lie close together, and an
// epsilon far below 0.001. 400 000 rows of 500000000 in [0, 10^9] at epsilon = 4e-4, gamma = 3: S
// would be 0.0013 and the median error about 40; the floor is 26, and the median error 520 000.
//
// Source: Nissim, Raskhodnikova, Smith, "Smooth sensitivity and sampling in private data analysis"
// (2007), section 3.1, there for substitutions and the median.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstdint>

#include "core/select/ranked_data.h"
#include "core/select/stop.h"
#include "core/sensitivity/decayed_gap.h"

namespace idp {

inline constexpr std::int64_t kFarthest = std::int64_t{1} << 17;

// S(D) exactly, as a gap and the distance it decays over; gap 0 exactly if lower = upper. Throws
// Stopped.
DecayedGap smooth_sensitivity(const RankedData& data, const BoundedRank& at, const Rate& beta,
                              StopCheck stop);

// How it is searched for. A pair with an end beyond x_{r-h} or x_{r+h} is worth at most
// exp(-beta h) W. So a window of h = O(log(n)/beta) places usually does; it grows until what it
// holds is worth that much. The result does not depend on the first h, 1 <= h <= kFarthest.
DecayedGap smooth_sensitivity_from(std::int64_t h, const RankedData& data, const BoundedRank& at,
                                   const Rate& beta, StopCheck stop);

}  // namespace idp
