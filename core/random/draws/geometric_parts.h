// What draws of discrete Laplace noise share, whatever integers they are computed in.
#pragma once

#include "core/no_postgres.h"

#include <utility>

#include "core/random/draws/bernoulli.h"

namespace idp::draws {

// The geometric X = u + v d: u and v. draw_uniform() is below d, keep(u) the coin exp(-u/d).
template <class DrawUniform, class Keep, class Source>
inline auto geometric_parts(DrawUniform draw_uniform, Keep keep, Source& source) {
  auto u = draw_uniform();
  while (!keep(u)) u = draw_uniform();
  const unsigned long v = unit_geometric(source);
  return std::pair{std::move(u), v};
}

// A fair sign for a magnitude.
template <class Source, class DrawMagnitude>
inline auto signed_draw(Source& source, DrawMagnitude draw_magnitude) {
  for (;;) {
    const bool negative = fair_coin(source);
    auto magnitude = draw_magnitude();
    if (!negative) return magnitude;
    if (magnitude != 0) return decltype(magnitude)(-magnitude);
  }
}

}  // namespace idp::draws
