// The margin of an answer: how far its noise strays from the true value at most, with a confidence
// that the reader chooses. From public numbers alone: the statistic, epsilon, the bounds, which
// neighbours there are.
//
// Noise N of rate r is discrete Laplace, alpha = exp(-r). With doubt = 1 - confidence, the margin
// is the least whole number t of units of the noise with
//
//   Pr[|N| > t] = 2 alpha^(t+1) / (1 + alpha) <= doubt
//
// accuracy.h has that in doubles, for whoever plans a query; here it is decided exactly, as which
// side it falls on is what an interval of confidence promises. The two sides of
//
//   2 alpha^(t+1) <= doubt (1 + alpha)
//
// are enclosed ever more closely until they are apart. They are never equal: doubt is rational, and
// alpha, exp of a rational number that is not 0, is transcendental (Lindemann). Beyond 2^50 units t
// is not the least one, but at most a part in 10^12 more, and never less.
//
// It costs nothing: nothing in it is of the data. It is known where the answer is the true value,
// of values clamped to the bounds, plus that noise: counts and sums. The others are NULL in SQL:
// how far a median is off follows from the values round it, an average from how many rows there
// are.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <optional>
#include <span>

#include "core/aggregate/spec.h"
#include "core/mechanism/result_grid.h"
#include "core/random/rate.h"
#include "core/sensitivity/neighbours.h"

namespace idp {

// The least t with Pr[|N| > t] <= doubt; 0 < doubt < 1.
mpz_class noise_quantile(const Rate& rate, const mpq_class& doubt);

// Nothing if none is known. 0 < confidence < 1; epsilons as an aggregate call has them.
std::optional<mpq_class> margin_of(const Spec& spec, std::span<const double> epsilons,
                                   Neighbours neighbours, const mpq_class& doubt);

// The least double that is not less than a number >= 0.
double double_above(const mpq_class& number);

}  // namespace idp
