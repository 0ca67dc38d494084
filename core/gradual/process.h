// The noise of gradual release on a grid: exact steps from one level of privacy to another.
//
// Every level epsilon > 0 has a noise V_epsilon; the answer at that level is the true value plus
// V_epsilon. Write q_i = exp(-epsilon_i/Delta), Delta the sensitivity in units of the grid. A level
// is coarse or fine: q_fine < q_coarse. Geo(q): Pr[g] = (1 - q) q^g; DL(q): Pr[i] =
// (1 - q)/(1 + q) q^|i|.
//
// The process. Each i = 0, 1, 2, … has a clock of its own; it rings at a level T_i, independently,
// with Pr[T_i > epsilon] = exp(-epsilon/Delta). Let G_epsilon be the first i whose clock has rung
// at epsilon or before, and G'_epsilon the same for a second set of clocks. Then
//
//   V_epsilon = G_epsilon - G'_epsilon.
//
// 1. Marginals. Pr[G >= g] = q^g, so G is Geo(q), and Pr[V = i] = sum over j of
//    (1 - q)^2 q^(|i| + 2j) = (1 - q)/(1 + q) q^|i|: V_epsilon is DL(q), the noise of an answer
//    that is the only one.
// 2. Increments. The clocks after G_fine are not looked at by G_fine or any finer level, and its
//    own says no more than that it rang by then. So E = G_coarse - G_fine does not depend on them:
//      Pr[E = 0] = u = (1 - q_coarse)/(1 - q_fine),   E = 1 + Geo(q_coarse) otherwise.
//    Down from the finest level, V is a random walk of independent steps E - E'. It is therefore a
//    Markov chain, in both directions: a level depends on others only through its two neighbours.
// 3. Every step below draws the exact law of the missing level given its neighbours. So the joint
//    law of a chain is that of the process, in whatever order the levels are asked for.
//
// The steps need geometric draws only, because the smaller of two geometric numbers is independent
// of what the other is beyond it: for N ~ Geo(s) and M ~ Geo(r),
//    Pr[min = k, N - M = j > 0] = (1 - s)(1 - r) (sr)^k s^j,  Pr[min = k, N <= M] = (1 - s) (sr)^k.
// So min(N, M) ~ Geo(sr), and (N - M)^+ is 0 with probability (1 - s)/(1 - sr), else 1 + Geo(s).
//
// tighten. With s = q_coarse, r = q_fine/q_coarse, that is E:
//    V_1 = V_2 + (N - M)^+ - (N' - M')^+.
// In closed form V_1 - V_2 is 0 with probability w = q_2 (1 - q_1)^2 / (q_1 (1 - q_2)^2), else
// DL(q_1): the quotient of the characteristic functions of DL(q_1) and DL(q_2) is
// w + (1 - w) times that of DL(q_1).
//
// relax. Given V_1 = x >= 0 (x < 0 is its mirror image) the pair (G_1, G'_1) is (x + j, j) with
// probability proportional to q_1^(x + 2j): J ~ Geo(q_1^2). The first clock to ring between the
// levels is M ~ Geo(r), r = q_2/q_1, on either side:
//    V_2 = min(x + J, M) - min(J, M').
// In closed form, with p = q_2 (q_1 - q_2)/(1 - q_2^2) and Geo for Geo(q_1 q_2):
//    V_2 = x             with probability r^x (1 - 2p)
//    V_2 = -1 - Geo      with probability p
//    V_2 = x + 1 + Geo   with probability r^x p
//    0 <= V_2 < x        with the rest, (1 - r^x)(1 - p), proportional to r^(V_2)
// where 1 - 2p = (1 - 2 q_1 q_2 + q_2^2)/(1 - q_2^2).
// It is the conditional of tighten: for y != x the joint probability Pr[V_2 = y] Pr[V_1 = x | y] is
// (1 - q_2)/(1 + q_2) (1 - w) (1 - q_1)/(1 + q_1) q_2^|y| q_1^|x - y|, and divided by
// Pr[V_1 = x] = (1 - q_1)/(1 + q_1) q_1^x it leaves K q_2^|y| q_1^(|x - y| - x),
// K = (q_1 - q_2)(1 - q_1 q_2)/(q_1 (1 - q_2^2)): the last three lines; the first is the rest.
//
// between. Of V_a (coarse) and V_b (fine) only d = V_a - V_b = E - E' matters; let d >= 0 (d < 0 is
// the mirror image). By Bayes (E, E') = (d + j, j) has probability proportional to
// Pr[E = d + j] Pr[E' = j]: so j is drawn as E' and kept with probability
//    q_a^j                       if d > 0: one half of the draws at least are kept;
//    1 for j = 0, else (1 - q_b/q_a) q_a^j    if d = 0, as (1 - u)(1 - q_a) = u (q_a - q_b).
// For d = 0 and 1 - q_a << 1 - q_b << 1 hardly any is kept. Then the choice of j = 0 against
// j = 1 + Geo(q_a^2), with odds 1 - q_a^2 to (q_a - q_b)^2, is made by enclosures.
// Given E, the clock of G_b rang by the level between with probability (q_a - q)/(q_a - q_b), and
// each later one before G_a with 1 - q/q_a. So with s = q/q_a, r = q_b/q:
//    V = V_b + min((N - M)^+, E) - min((N' - M')^+, E').
// In closed form Pr[v] is proportional to t(V_a - v; a, q) t(v - V_b; q, b), t the law of the steps
// of tighten: point masses at V_a and V_b, geometric pieces of ratio q_a q beyond either, and in
// between weights that change by q/q_a with each step away from V_b.
//
// Time. Each step draws what its formula names, also where that does not matter: of what comes out
// its work does not depend (core/random/bernoulli.h). How often between tries is independent of
// what it keeps at last.
//
// Privacy. The answers at levels 1, …, i are the answer at level i plus steps that are independent
// of it and of the data: post-processing of an epsilon_i-private answer. A chain costs its largest
// epsilon, and no average of its answers is more accurate than the last. Vectors, and several
// epsilons: core/gradual/release.h.
//
// Source: Koufogiannis, Han, Pappas, "Gradual Release of Sensitive Data under Differential Privacy"
// (2015), Theorems 10 (two levels), 11 (vectors), 12 (many levels), of which this is the twin on a
// grid. As Delta/epsilon grows, DL and Geo over Delta become Laplace and exponential laws, w tends
// to (epsilon_1/epsilon_2)^2, and the laws above to equations (20), (25) with Algorithm 1, and
// (28). (sgn(0) in Algorithm 1 stands for a sign, not for 0; on a grid x = 0 does happen.)
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include "core/random/bit_source.h"
#include "core/random/discrete_laplace.h"

namespace idp {

// Rates are what epsilon/Delta is above, and ascend from coarse to fine strictly; otherwise
// std::invalid_argument. (Nothing but the q_i entered above: levels with Delta of their own have
// the same laws.) Time and memory grow with the bits of the arguments, not with their size.

// V_1 given V_2 = fine.
mpz_class tighten(const mpz_class& fine, const Rate& coarse_rate, const Rate& fine_rate,
                  BitSource& source);

// V_2 given V_1 = coarse.
mpz_class relax(const mpz_class& coarse, const Rate& coarse_rate, const Rate& fine_rate,
                BitSource& source);

// V given V_a = coarse and V_b = fine.
mpz_class between(const mpz_class& coarse, const mpz_class& fine, const Rate& coarse_rate,
                  const Rate& rate, const Rate& fine_rate, BitSource& source);

}  // namespace idp
