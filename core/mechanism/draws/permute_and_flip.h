// The draw of core/mechanism/mode.h over any source (core/random/draws/bernoulli.h).
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/random/bernoulli.h"
#include "core/random/discrete_laplace.h"

namespace idp::draws {

// Weights exp(-rate gap), rate = epsilon/(2 sensitivity of a score) where several scores change.
template <class Source>
std::size_t permute_and_flip(std::span<const std::int64_t> scores, const Rate& rate,
                             Source& source) {
  const std::int64_t greatest = *std::max_element(scores.begin(), scores.end());
  std::vector<std::size_t> left(scores.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  for (;;) {  // the order is drawn as far as it is needed
    const mpz_class place = uniform_below(static_cast<unsigned long>(left.size()), source);
    std::size_t& next = left[place.get_ui()];
    const mpz_class below(static_cast<long>(greatest - scores[next]));
    if (bernoulli_exp(rate.numerator * below, rate.denominator, source)) return next;
    std::swap(next, left.back());
    left.pop_back();
  }
}

}  // namespace idp::draws
