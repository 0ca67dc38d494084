// The noise of a named release: every value of it (core/mechanism/frozen.h) has a chain of its own
// (core/gradual/chain.h), whose levels are the rates of that value at the epsilons that were asked
// for. So an answer is repeated, relaxed, tightened or drawn between two others, in whatever order
// they come; and each alone has the law of an answer that is the only one.
//
// What a release costs, all its answers together. A chain's levels are its finest one followed by
// steps that are independent of the data (core/gradual/process.h), and the chains are independent
// of each other; so the answers are post-processing of the values with noise of the rates
// R_i = the greatest over the levels l of rate_i(l). By Theorem 5, for data D' at distance at most
// j the probabilities of the answers differ by a factor of at most
//
//   exp(sum over i of R_i |f_i(D') - f_i(D)|)
//
//   - One epsilon at each level: rate_i(l) = epsilon(l)/Delta_i, so R_i = E/Delta_i with E the
//     greatest epsilon, and the sum is E times sum |f_i(D') - f_i(D)|/Delta_i <= 1. The release
//     costs E.
//   - Several epsilons, and then a single value: rate(l) is the least of epsilon_j(l)/Delta_j, and
//     another level's j may be the least. Levels may therefore be ordered by rate otherwise than by
//     any of their epsilons; levels of the same rate share their noise. But
//     rate(l) Delta_j <= epsilon_j(l) for each j, so R Delta_j <= the greatest epsilon_j(l) over
//     the levels: the release costs an individual the greatest epsilon_1, a group of j the greatest
//     epsilon_j, of whichever levels these are.
//
// Kept apart from the values, the noise is as secret as they are.
//
// Source: Koufogiannis, Han, Pappas, "Gradual Release of Sensitive Data under Differential Privacy"
// (2015), Theorem 11 (vectors by their components), Theorem 12.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <span>
#include <vector>

#include "core/mechanism/frozen.h"
#include "core/random/bit_source.h"
#include "core/select/stop.h"

namespace idp {

struct ReleasedLevel {
  std::vector<double> epsilons;
  std::vector<mpz_class> noise;  // one for each value
};

// The noise of every value at these epsilons, given all levels that were released so far, in any
// order. Nothing is drawn for a level that is there, nor for a value that needs no noise, which is
// 0. With no levels it is draw_noise(), drawn from the same bits.
//
// Throws Stopped, and std::invalid_argument, with a message that holds no number, for epsilons that
// are not finite and > 0 or not as many as the release has distances, for a level with another
// number of values, with noise where there is none, or with a noise that is not that of another
// level of the same rate.
std::vector<mpz_class> noise_at(const Frozen& frozen, std::span<const ReleasedLevel> levels,
                                std::span<const double> epsilons, BitSource& bits, StopCheck stop);

}  // namespace idp
