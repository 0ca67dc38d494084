// Exact coins: uniform integers, Bernoulli(n/d) and Bernoulli(exp(-n/d)), by integer arithmetic
// alone.
//
// Source: Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy" (2020),
// Algorithm 1.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include "core/random/bit_source.h"

namespace idp {

// A number of `bits` uniform bits: uniform on [0, 2^bits).
mpz_class uniform_bits(unsigned long bits, BitSource& source);

// Uniform on [0, bound), bound >= 1. Draws as many bits as bound - 1 has and rejects what is not
// below bound, so every value that is kept has the same probability; at most one half is rejected.
mpz_class uniform_below(const mpz_class& bound, BitSource& source);

// True with probability numerator/denominator exactly; 0 <= numerator <= denominator,
// denominator >= 1. Compares a uniform real, revealed 64 bits at a time, with the binary expansion
// of the quotient: the first word in which they differ decides, and two words that are equal decide
// nothing.
bool bernoulli(const mpz_class& numerator, const mpz_class& denominator, BitSource& source);

// True with probability exp(-numerator/denominator) exactly; numerator >= 0, denominator >= 1.
//
// For g = n/d in [0, 1]: flip Bernoulli(g/1), Bernoulli(g/2), Bernoulli(g/3), … up to the first
// tails, at flip K. Pr[K > k] = g^k / k!, so Pr[K odd] = sum over even k of Pr[K > k] - Pr[K > k+1]
// = 1 - g + g^2/2! - g^3/3! + … = exp(-g). For g > 1: exp(-g) = exp(-1)^floor(g) * exp(-(g mod 1)).
bool bernoulli_exp(const mpz_class& numerator, const mpz_class& denominator, BitSource& source);

// What is left of that draw for g <= 1 when the flips before the k-th, k >= 1, were heads.
bool bernoulli_exp_from(unsigned long k, const mpz_class& numerator, const mpz_class& denominator,
                        BitSource& source);

}  // namespace idp
