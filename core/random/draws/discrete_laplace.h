// The draws of core/random/discrete_laplace.h over any source (draws/bernoulli.h).
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include "core/random/discrete_laplace.h"
#include "core/random/draws/bernoulli.h"

namespace idp::draws {

template <class Source>
mpz_class long_geometric(const Rate& rate, Source& source) {
  const mpz_class one = 1;
  mpz_class x;
  do {
    x = uniform_below(rate.denominator, source);
  } while (!bernoulli_exp(x, rate.denominator, source));
  while (bernoulli_exp(one, one, source)) x += rate.denominator;
  return x / rate.numerator;  // both positive: the quotient is rounded down
}

template <class Source>
mpz_class discrete_laplace(const Rate& rate, Source& source) {
  for (;;) {
    const bool negative = fair_coin(source);
    mpz_class magnitude = geometric(rate, source);
    if (!negative) return magnitude;
    if (magnitude != 0) return -magnitude;
  }
}

}  // namespace idp::draws
