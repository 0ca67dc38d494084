// Exact coins: uniform integers, Bernoulli(n/d) and Bernoulli(exp(-n/d)), by integer arithmetic
// alone.
//
// Time. How long noise takes must not tell what it is: who times an answer and learns how many
// rounds a loop took knows how large the noise is (Jin, McMurtry, Rubinstein, Ohrimenko, "Are We
// There Yet? Timing and Floating-Point Attacks on Differential Privacy Systems", 2021). So what
// noise is made of is *steady*: bernoulli_exp() and unit_geometric() take the same words and do the
// same with them whatever comes out, but for one draw in 2^65. What is rejected (uniform_below())
// may be repeated: what is kept at last is independent of how often something was not.
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

// The same in a fixed number of words >= 1. Where these do not decide, one time in 2^(64 words), it
// goes on as bernoulli() does, if the outcome matters; if it does not, anything may come out.
bool steady_bernoulli(int words, const mpz_class& numerator, const mpz_class& denominator,
                      bool matters, BitSource& source);

// True with probability exp(-numerator/denominator) exactly; numerator >= 0, denominator >= 1.
//
// For g = n/d in [0, 1]: flip Bernoulli(g/1), Bernoulli(g/2), Bernoulli(g/3), … up to the first
// tails, at flip K. Pr[K > k] = g^k / k!, so Pr[K odd] = sum over even k of Pr[K > k] - Pr[K > k+1]
// = 1 - g + g^2/2! - g^3/3! + … = exp(-g). For g > 1: exp(-g) = exp(-floor(g)) exp(-(g mod 1)), and
// the first of these is Pr[unit_geometric() >= floor(g)].
//
// Steady: kFlips flips are made whether they matter or not. They matter while all before were
// heads. So more than these are needed with probability 1/kFlips!; and flip k, if its words do not
// decide it, matters with 1/(k - 1)! at most: the first kLongFlips have two words, the others one.
// Together that is less than 2^-67.
bool bernoulli_exp(const mpz_class& numerator, const mpz_class& denominator, BitSource& source);

// What is left of that draw for g <= 1 when the flips before the k-th, k >= 1, were heads.
bool bernoulli_exp_from(unsigned long k, const mpz_class& numerator, const mpz_class& denominator,
                        BitSource& source);

// Pr[V >= k] = exp(-k), k = 0, 1, 2, …
//
// V counts the k >= 1 with U < exp(-k), U a uniform real on [0, 1). Steady: two words of U are
// compared with the same of each exp(-k), k <= 48. They decide unless they are equal to those of
// one, or U is below exp(-48): less than 2^-69. Then more of U is revealed until enclosures of the
// exp(-k) decide.
unsigned long unit_geometric(BitSource& source);

}  // namespace idp
