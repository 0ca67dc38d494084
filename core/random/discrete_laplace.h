// Exact geometric and discrete Laplace noise.
//
// Source: Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy" (2020),
// Algorithm 2. The distribution is Definition 9 of Soria-Comas, Domingo-Ferrer, Sanchez, Megias,
// "Individual Differential Privacy" (2017).
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include "core/random/bit_source.h"
#include "core/random/rate.h"

namespace idp {

// Pr[G = g] = (1 - alpha) alpha^g for g = 0, 1, 2, …
//
// With alpha = exp(-n/d): U uniform on [0, d), kept with probability exp(-U/d), and V geometric
// with ratio exp(-1) make X = U + d V geometric with ratio exp(-1/d), because Pr[X = x] is
// proportional to exp(-(x mod d)/d) exp(-floor(x/d)) = exp(-x/d). Then floor(X/n) is geometric
// with ratio exp(-n/d): each value g collects the n consecutive x from g n on.
//
// Steady (bernoulli.h): of a draw only the number of attempts varies, and X is independent of it.
mpz_class geometric(const Rate& rate, BitSource& source);
// The same by integers of any length; geometric() does what it can in short ones
// (short_geometric.h), word for word alike.
mpz_class long_geometric(const Rate& rate, BitSource& source);

// Pr[N = i] = (1 - alpha)/(1 + alpha) alpha^|i| for every integer i.
//
// A fair sign and a geometric magnitude; the pair (minus, 0) is rejected, so that 0 is counted
// once. What is kept has probability proportional to alpha^|i|, and is independent of what was not.
mpz_class discrete_laplace(const Rate& rate, BitSource& source);

}  // namespace idp
