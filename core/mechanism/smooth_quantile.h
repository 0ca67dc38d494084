// Order statistics by smooth sensitivity: epsilon-DP with noise that follows the data.
//
// Draws y = f(D) + s Z, s = 4 gamma S / epsilon, rounded to the nearest grid point and clamped to
// the public bounds. f(D) = x_r on the public integer grid (the middle, rounded down, if there are
// no records); S the beta-smooth sensitivity, beta = epsilon/gamma (core/sensitivity/smooth.h); Z
// of density proportional to h(z) = 1/(1 + |z|^gamma), gamma in {2, 3, 4}
// (core/random/heavy_tail.h).
//
// Why it is epsilon-DP. Let D, D' be neighbours with f, s and f', s'. Rounding and clamping use
// nothing of the data, so let y be the real number f + s Z, of density h((y-f)/s)/s up to a
// constant. If lower = upper there is nothing to protect; otherwise s, s' > 0. Then
//   log [h((y-f)/s)/s] - log [h((y-f')/s')/s']  =  sliding + dilation,
//   sliding  = log h((y-f)/s) - log h((y-f')/s)
//     The slope of log h is at most max over z of gamma z^(gamma-1)/(1 + z^gamma): where it is
//     greatest, z^gamma = gamma - 1, it is (gamma-1)^((gamma-1)/gamma) < gamma. And
//     |f - f'|/s <= LS(D)/s <= S(D)/s = epsilon/(4 gamma). So |sliding| <= epsilon/4.
//   dilation = log [h(a/s)/s] - log [h(a/s')/s'],  a = y - f'
//     In t = log s the slope of log h(a e^-t) - t is gamma u/(1 + u) - 1 with u = |a e^-t|^gamma,
//     which lies in [-1, gamma-1]; and |log s - log s'| = |log S(D) - log S(D')| <= beta. So
//     |dilation| <= (gamma-1) beta = epsilon - epsilon/gamma.
// Together at most epsilon - epsilon/gamma + epsilon/4 <= epsilon for gamma <= 4. With the exact
// slope it is (gamma-1)^((gamma-1)/gamma)/(4 gamma) + 1 - 1/gamma: 0.625, 0.800 and 0.893 epsilon
// for gamma = 2, 3, 4. The constants are those of the source.
//
// Exactly: s Z is a real number known by an enclosure as narrow as is asked for, so the answer is
// that of the real numbers, rounded once. Rounding to the nearest rather than down: a steep noise
// would otherwise answer f - 1 half of the time.
//
// Source: Nissim, Raskhodnikova, Smith, "Smooth sensitivity and sampling in private data analysis"
// (2007), section 2.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include "core/random/bit_source.h"
#include "core/select/ranked_data.h"
#include "core/select/stop.h"

namespace idp {

// What its noise is for.
struct SmoothNoise {
  double epsilon;  // finite and > 0
  int gamma;       // 2, 3 or 4
};

// Draws an answer between the bounds. Throws Stopped.
mpz_class smooth_quantile(const RankedData& data, const BoundedRank& at, const SmoothNoise& noise,
                          BitSource& bits, StopCheck stop);

}  // namespace idp
