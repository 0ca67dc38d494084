// The individually private release of an order statistic.
//
// Draws from: f(D) + N * step, N discrete Laplace with alpha = exp(-epsilon / Delta), where step is
// the step of the grid and Delta the local sensitivity in steps, LS_f(D) / step.
//
// Why it is epsilon-iDP: kappa_D is f + N with the grid, Delta and N of the actual D. For every
// neighbour D' the difference |f(D') - f(D)| on that grid is at most Delta, so for every answer s
// Pr[kappa_D(D) = s] / Pr[kappa_D(D') = s] = alpha^(|s - f(D)| - |s - f(D')|) lies in
// [e^-epsilon, e^epsilon] (Theorem 5). Delta = 0 means that no neighbour changes the answer; then
// the answer is exact.
//
// Floats: the grid of all doubles is far finer than any noise needs, so a coarser one is taken,
// step = 2^-40 of the smaller of LS and LS/epsilon, rounded to a power of two (never finer than
// 2^-105 LS). x_{r-1}, x_r, x_{r+1} are put on it by floor, and Delta is computed there, so it is
// again an exact bound for the mechanism (floor, then noise). Flooring changes the answer by less
// than 2^-40 of the noise's scale. The bits below the step are filled with fresh uniform ones, and
// the result is rounded to the nearest values of its type: both are post-processing. This keeps the
// low bits of the answer from telling the scale (Mironov 2012).
//
// An answer beyond the type's range becomes the nearest value of the type: post-processing too.
//
// Infinite values compare beyond all finite ones. If f(D) and all its neighbours are the same
// infinity the answer is that infinity (no neighbour changes it); if one of them is infinite and
// another is not, the sensitivity is unbounded and the answer is suppressed.
//
// Several epsilons: epsilons[i] protects groups of i + 1 records (Definition 6), by the noise that
// core/mechanism/frozen.h draws for the local sensitivities at distance 1, 2, …
//
// A release refined later (core/gradual/) keeps its grid and its fill: both are independent of the
// noise, and Delta is exact on that grid whatever epsilon comes, so the answers at all levels are
// as private as the noise. One whose scale is finer than the step is only less accurate. Answers at
// two levels differ by whole steps and so show the step, as far as their low bits reach; how far
// they are apart shows the scale in any case.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <span>

#include "core/grid/grid.h"
#include "core/mechanism/frozen.h"
#include "core/random/bit_source.h"
#include "core/sensitivity/order_statistic.h"

namespace idp {

// around[i] is the neighbourhood at distance i + 1; as many as epsilons. None: suppressed. The
// epsilons set the grid of floats, and bits are drawn for their fill only.
template <class Key>
Frozen freeze_order_statistic(const Grid& grid, std::span<const Neighbourhood<Key>> around,
                              std::span<const double> epsilons, BitSource& bits);

// Of what that froze, kNoisy or kInfinite: then noise is not looked at.
template <class Key>
Key answer_order_statistic(const Grid& grid, const Frozen& frozen, const mpz_class& noise);

// Bits below the step: enough for a whole mantissa even if the value is 0.
inline constexpr unsigned long kFillBits = 128;
// How many bits of a float grid the noise's grid drops, on which the sensitivity has so many bits,
// at least one; negative: it is finer still.
int dropped_bits(int sensitivity_bits, double epsilon);
// The same of a sensitivity >= 1 in units of that grid.
long dropped_bits(const mpz_class& sensitivity, double epsilon);
// The range of Frozen::dropped: a difference of doubles has at most 2099 bits.
inline constexpr long kLeastDropped = -104;
inline constexpr long kMostDropped = 2058;

}  // namespace idp
