// Whether a noisy number of rows supports an answer about these rows: an average of no rows is
// noise over noise, and lies at one of its bounds.
//
// Let m be the number of rows plus N, N discrete Laplace of rate r, alpha = exp(-r), and k the
// smallest integer with Pr[N > k] <= 1/20. m supports an answer if m > k. So of no rows there is an
// answer with probability at most 1/20, of n rows with probability Pr[N > k - n], which is more
// than 1/2 from n = k + 1 on.
//
// Why it costs nothing: it asks for m, which the mechanism has paid for, and for r, which is
// public. What is computed from these is post-processing, and tells no more than they do.
//
// How it is decided. For t >= 0, Pr[N > t] = alpha^(t+1) / (1 + alpha); and Pr[N > -1] > 1/2, so
// that k >= 0. As these probabilities fall with t,
//
//   m > k   if and only if   m >= 1 and Pr[N > m - 1] <= 1/20,  that is  20 alpha^m <= 1 + alpha.
//
//   m r >= 3        yes: 20 exp(-3) < 1
//   m r <= 23/10    no: 20 exp(-23/10) > 2
//   in between      both sides are enclosed, ever more closely, until they are apart. They are
//   never
//                   equal: alpha would be algebraic, and exp of a rational number that is not 0 is
//                   transcendental (Lindemann).
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include "core/random/rate.h"

namespace idp {

// noisy: the number of rows with noise of that rate.
bool supports_answer(const mpz_class& noisy, const Rate& rate);

// The least count with count * rate >= 3: it supports an answer, as any greater one does.
mpz_class ample_count(const Rate& rate);

}  // namespace idp
