// Bounds that nobody has to know: found in the data, epsilon-DP, for sums and averages to clamp
// their values to.
//
// Distances c_0 = 0 < c_1 < … < c_m follow from the column's type alone: every whole number of
// steps up to 8, and four in each power of two beyond; for floats the same from 2^-40 to 2^64, and
// one in four powers of two on either side. Round a centre z, the upper bound is one of z + c_j
// and the lower one of z - c_j, as far as the type reaches; m is so large that the last ones are
// its ends.
//
//   centre   sums: 0. Averages and variances: the point u - d places from 0, of two scans from 0 for
//            the point that as many of the n values lie beyond as do not. u is the first j with
//            2 U_j - n + G_j <= Z, U_j the number of x > c_j, or the last; d likewise with the
//            number of x < -c_j.
//   upper    with N_j = the number of x > z + c_j:  j is the first with N_j + G_j <= t + Z, or m
//   lower    the same with N_j = the number of x < z - c_j, and draws of its own
//
//   Z and each G_j independent discrete Laplace with rates epsilon/4 and epsilon/16;
//   t = floor(16/epsilon). For the centre, where it is drawn, of rates a = epsilon/32 and b =
//   epsilon/64.
//
// Why it is private. Both bounds together lose epsilon_Z + 2 epsilon_G = 3/8 epsilon, with
// epsilon_Z = 1/4 and epsilon_G = 1/16. Let one record change. All N_j of a side then change in the
// same direction, by 0 or 1 each: what is put in is beyond more of the points than what is taken
// out, or beyond fewer.
//   - They grow: with the same Z and G, no place before j stops that did not; and j stops where
//     G_j is one less. The probability of j changes by a factor of at most e^epsilon_G.
//   - They shrink: with Z and G_j one less, no place before j stops that did not, and j stops as it
//     did: e^(epsilon_Z + epsilon_G).
//   A record that is added or removed is beyond points of one side alone. One that is substituted
//   can leave one side, whose counts shrink, for the other, whose counts grow: e^(epsilon_Z + 2
//   epsilon_G), and that is the most.
// The centre loses 2a + 4b = 1/8 epsilon:
//   - One record is substituted. All U_j change in the same direction by 0 or 1 each, so 2 U_j - n
//     by 0 or 2: as above, e^(2b) where they grow, e^(2a + 2b) where they shrink. The record leaves
//     one side at most, and enters one at most: both sides together e^(2a + 4b).
//   - One is added or removed. 2 U_j - n changes by 1, up where the record lies beyond c_j and down
//     where not, or the reverse. With Z less by 1, no place before j stops that did not; and j
//     stops where G_j is less by 2: e^(a + 2b) for each side, e^(2a + 4b) for both.
// A centre drawn before is composed with what is drawn given it: 1/8 + 3/8. So share_left() of
// epsilon is left to whoever clamps to the bounds: 5/8, or 1/2.
//
// Why the centre is not drawn by the exponential mechanism, as it was in 0.3.0: a type has up to a
// thousand points, nearly all of which are far from the values. Of fewer than some 400/epsilon
// values one of these was drawn now and then, and the average was that of noise as wide as the
// type. A scan that stops too early ends between 0 and the median, which leaves the bounds wider by
// no more than that; one that goes on too far passes each point with a probability of a half at
// most, and four of them are a factor of two.
//
// Why not the exponential mechanism with the rank n - t. Beyond the greatest value all points have
// the same rank, and far more of them lie there than between the values: t has to be several times
// greater before they are never drawn, and when one is, the noise of a sum is that of the type's
// range. The scan stops within a few points of where the values end, and nothing else was found to
// err less on uniform, log-normal, Zipf-distributed and real columns (docs/noise.md). Without
// values it stops at the centre, and the answer is 0. What is left out: some 16/epsilon values at
// either end are clamped, and none where epsilon is more than 16.
//
// Source: the sparse vector technique, Dwork and Roth, "The Algorithmic Foundations of Differential
// Privacy" (2014), section 3.6; its saving for counts that move in one direction is that of Lyu, Su
// and Li, "Understanding the Sparse Vector Technique" (2017), section 4.3. That the best bound has
// some 1/epsilon values beyond it: Amin, Kulesza, Munoz and Vassilvitskii, "Bounding User
// Contributions" (2019).
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/grid/grid.h"
#include "core/random/bit_source.h"
#include "core/select/values.h"

namespace idp {

enum class Centre : bool { kZero, kMedian };

template <class Key>
struct ClippingBounds {
  Key lower;
  Key upper;
};

// The points round the centre that a type has, ascending; the centre is in the middle.
template <class Key>
std::vector<Key> clipping_points(const Grid& grid, Key centre);

// Of values of a grid of numbers; epsilon finite and > 0. Throws Stopped.
template <class Key>
ClippingBounds<Key> find_clipping_bounds(const Values<Key>& values, const Grid& grid, Centre centre,
                                         double epsilon, const Workspace& space, BitSource& bits);

// The part of epsilon that finding bounds leaves.
mpq_class share_left(Centre centre);

// t: about as many values lie beyond either bound.
mpz_class values_beyond(double epsilon);

// One side of it. counts do not increase; at least one.
std::size_t draw_first_sparse(std::span<const std::int64_t> counts, double epsilon,
                              BitSource& bits);

}  // namespace idp
