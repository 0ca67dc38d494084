// The draws of core/random/discrete_laplace.h over any source (draws/bernoulli.h).
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include "core/random/discrete_laplace.h"
#include "core/random/draws/bernoulli.h"
#include "core/random/draws/geometric_parts.h"

namespace idp::draws {

template <class Source>
mpz_class long_geometric(const Rate& rate, Source& source) {
  auto [x, v] = geometric_parts(
      [&] { return uniform_below(rate.denominator, source); },
      [&](const mpz_class& u) { return bernoulli_exp(u, rate.denominator, source); }, source);
  x += rate.denominator * v;
  return x / rate.numerator;  // both positive: the quotient is rounded down
}

template <class Source>
mpz_class discrete_laplace(const Rate& rate, Source& source) {
  return signed_draw(source, [&] { return geometric(rate, source); });
}

}  // namespace idp::draws
