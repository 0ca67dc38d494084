// The checks, written so that the library and the mutants of the negative controls go through the
// same ones.
#pragma once

#include <cstdint>
#include <functional>

#include "core/random/bit_source.h"
#include "core/random/discrete_laplace.h"
#include "tests/support/data.h"
#include "tests/support/fit.h"

namespace idp::test {

// Draws for each check: those of a test run, times IDP_DRAWS; fewer to see what is grossly wrong.
std::int64_t times_asked(std::int64_t draws);
#ifdef IDP_SANITIZE
inline const std::int64_t kDraws = times_asked(50000);
inline const std::int64_t kReleases = times_asked(25000);
inline const std::int64_t kFewDraws = 50000;
#else
inline const std::int64_t kDraws = times_asked(400000);
inline const std::int64_t kReleases = times_asked(100000);
inline const std::int64_t kFewDraws = 200000;
#endif

using Sampler = std::function<mpz_class(const Rate&, BitSource&)>;
using Coin = std::function<bool(BitSource&)>;
using CountRelease = std::function<std::int64_t(std::int64_t, double, BitSource&)>;
using OrderRelease = std::function<std::optional<Key64>(const Grid&, const Neighbourhood<Key64>&,
                                                        double, BitSource&)>;

long double to_long_double(const mpz_class& v);

// Pr[N = i] = (1 - a)/(1 + a) a^|i|, a = exp(-epsilon/sensitivity). Wide laws are looked at in
// cells of a power of two, about a tenth of the scale sensitivity/epsilon.
Verdict check_discrete_laplace(const Sampler& sampler, double epsilon, const mpz_class& sensitivity,
                               std::int64_t draws = kDraws);

// Pr[G = g] = (1 - a) a^g, the same way.
Verdict check_geometric(const Sampler& sampler, double epsilon, const mpz_class& sensitivity,
                        std::int64_t draws = kDraws);

// The four low bits of a draw of a very wide law: uniform.
Verdict check_low_bits(const Sampler& sampler, double epsilon, const mpz_class& sensitivity,
                       std::int64_t draws = kDraws);

Verdict check_coin(const Coin& coin, long double probability, std::int64_t draws = kDraws);

// The three probabilities of the truncated count.
Verdict check_truncated_count(const CountRelease& release, double epsilon,
                              std::int64_t draws = kDraws);

// The mean absolute error of a count: 2a/(1 - a^2).
Verdict check_count_error(const CountRelease& release, double epsilon, std::int64_t draws = kDraws);

// The release of a float as a Laplace law of scale sensitivity/epsilon around 0: the continuous
// limit. Leaves the noise, in units of that scale, in `sample` if given.
Verdict check_float_release(const OrderRelease& release, const Grid& grid, double sensitivity,
                            double epsilon, std::vector<double>* sample = nullptr);

// Individual differential privacy as such: the answers on D against the answers kappa_D would give
// on D's neighbour with f(D') = neighbour, where kappa_D draws the noise calibrated on D.
struct Worlds {
  std::function<std::int64_t(BitSource&)> actual;
  std::function<std::int64_t(BitSource&)> neighbour;
};
Verdict check_two_worlds(const Worlds& worlds, std::int64_t centre, std::int64_t reach,
                         double epsilon, std::int64_t draws = kDraws);

}  // namespace idp::test
