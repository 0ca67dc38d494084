// The draws of core/random/discrete_laplace.h over any source (draws/bernoulli.h).
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstdint>
#include <utility>

#include "core/random/discrete_laplace.h"
#include "core/random/draws/bernoulli.h"

namespace idp::draws {

// The geometric X = u + v d in integers of any length: u and v. draw_uniform() is below d, keep(u)
// the coin exp(-u/d), again() the coin exp(-1).
template <class DrawUniform, class Keep, class Again>
inline auto geometric_parts(DrawUniform draw_uniform, Keep keep, Again again) {
  auto u = draw_uniform();
  while (!keep(u)) u = draw_uniform();
  std::uint64_t v = 0;
  while (again()) ++v;
  return std::pair{std::move(u), v};
}

template <class Source>
mpz_class long_geometric(const Rate& rate, Source& source) {
  const mpz_class one = 1;
  auto [x, v] = geometric_parts(
      [&] { return uniform_below(rate.denominator, source); },
      [&](const mpz_class& u) { return bernoulli_exp(u, rate.denominator, source); },
      [&] { return bernoulli_exp(one, one, source); });
  x += rate.denominator * v;
  return x / rate.numerator;  // both positive: the quotient is rounded down
}

// A fair sign, and a magnitude in integers of any length.
template <class Source, class DrawMagnitude>
inline auto signed_draw(Source& source, DrawMagnitude draw_magnitude) {
  for (;;) {
    const bool negative = fair_coin(source);
    auto magnitude = draw_magnitude();
    if (!negative) return magnitude;
    if (magnitude != 0) return decltype(magnitude)(-magnitude);
  }
}

template <class Source>
mpz_class discrete_laplace(const Rate& rate, Source& source) {
  return signed_draw(source, [&] { return geometric(rate, source); });
}

}  // namespace idp::draws
