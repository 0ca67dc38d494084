// The noise that protects groups of every size at once.
//
// epsilons[j - 1] is promised to groups of j records, sensitivities[j - 1] = Delta_j is the
// greatest |f(D') - f(D)| over all D' at distance at most j, in steps of f's grid. Discrete Laplace
// noise with
//
//   alpha = exp(-rate),  rate = the least of epsilons[j] / Delta_j
//
// keeps all promises (Definition 6 of the iDP paper; the scale 1/rate is max LS^(j)/epsilon_j):
// for D' at distance j the probabilities of an answer differ by a factor of at most
// exp(rate Delta_j) <= exp(epsilon_j). A group that cannot move the answer asks for nothing; if
// none can, the answer needs no noise.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <optional>
#include <span>

#include "core/random/bit_source.h"
#include "core/random/discrete_laplace.h"

namespace idp {

// The least epsilons[j] / sensitivities[j], compared exactly; nothing if all sensitivities are 0.
// Both have the same size; epsilons are finite and > 0, sensitivities >= 0.
std::optional<Rate> group_rate(std::span<const double> epsilons,
                               std::span<const mpz_class> sensitivities);

// A draw of that noise: 0 without drawing if none is needed.
mpz_class group_noise(std::span<const double> epsilons, std::span<const mpz_class> sensitivities,
                      BitSource& bits);

}  // namespace idp
