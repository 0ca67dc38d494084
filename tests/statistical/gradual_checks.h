// The checks of gradual release, written so that the library and the mutants of the negative
// controls go through the same ones.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "core/gradual/chain.h"
#include "tests/statistical/checks.h"
#include "tests/support/fit.h"

namespace idp::test {

struct Levels {
  std::array<double, 3> epsilon;  // from coarse to fine
  mpz_class sensitivity;

  long double lambda(std::size_t i) const { return epsilon[i] / to_long_double(sensitivity); }
  Rate rate(std::size_t i) const { return Rate::of(epsilon[i], sensitivity); }
};

// The noise at the three levels, from coarse to fine.
using Noises = std::array<mpz_class, 3>;
using ChainSampler = std::function<Noises(BitSource&)>;

// The library's chain, asked for the levels in some order, such as {0, 2, 1}.
ChainSampler in_order(const Levels& levels, const std::array<std::size_t, 3>& order);

// The exact joint law. A chain in one-to-one correspondence is (V_3, V_2 - V_3, V_1 - V_2), which
// are independent, discrete Laplace and the law of tighten; it is looked at as a whole and by
// pairs, besides every marginal and how often two levels are equal. Wide laws are looked at in
// cells, with 0 always a cell of its own. Makes 10 checks.
Verdict check_chain(const ChainSampler& sampler, const Levels& levels, std::int64_t draws);

// Two values at two levels each, from coarse to fine: [value][level]. Independent of each other,
// and each with the joint law of its own chain, whose rates these are. Makes one check.
using Parts = std::array<std::array<mpz_class, 2>, 2>;
using PartsSampler = std::function<Parts(BitSource&)>;
using PartRates = std::array<std::array<long double, 2>, 2>;
Verdict check_parts(const PartsSampler& sampler, const PartRates& rates, std::int64_t draws);

// A step from fixed neighbours against its law in closed form; for sensitivities near 1.
using StepSampler = std::function<mpz_class(BitSource&)>;
Verdict check_step(const StepSampler& sampler, const std::function<long double(long)>& law,
                   std::int64_t draws);

// Theorem 10.3: the answers at the first two levels together, where the true value is 0 against
// where it is the sensitivity, which must be small. Private at the given epsilon?
Verdict check_pair_worlds(const ChainSampler& sampler, const Levels& levels, double epsilon,
                          std::int64_t draws);

// Whether the average of the three answers is more accurate than the last. Squares are cut at
// kLargestSquare, so that Hoeffding's inequality bounds both means.
inline constexpr long kLargestSquare = 25;
Verdict check_average(const ChainSampler& sampler, std::int64_t draws);

}  // namespace idp::test
