// The scan of core/mechanism/clipping_bounds.h over any source (core/random/draws/bernoulli.h).
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/random/discrete_laplace.h"
#include "core/random/draws/discrete_laplace.h"

namespace idp::draws {

// The first place whose count with noise is at most the limit with noise; the last one if there is
// none. At least one count.
template <class Source>
std::size_t first_sparse(std::span<const std::int64_t> counts, const mpz_class& limit,
                         const Rate& of_limit, const Rate& of_counts, Source& source) {
  const mpz_class noisy_limit = limit + discrete_laplace(of_limit, source);
  std::size_t place = 0;
  while (place + 1 < counts.size() &&
         discrete_laplace(of_counts, source) + static_cast<long>(counts[place]) > noisy_limit) {
    ++place;
  }
  return place;
}

}  // namespace idp::draws
