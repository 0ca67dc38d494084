// The choice of core/random/weighted_choice.h over any source (draws/bernoulli.h).
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstddef>
#include <vector>

#include "core/random/draws/bernoulli.h"
#include "core/random/weighted_choice.h"

namespace idp::draws {

template <class Source>
std::size_t choose_weighted(const Enclose& weights, Source& source) {
  mpz_class u;  // U lies in [u, u + 1) * 2^-bits
  unsigned long bits = 0;
  for (unsigned long precision = 2 * Source::kWordBits;; precision *= 2) {
    const std::vector<Enclosure> enclosures = weights(precision);
    mpz_class total_low, total_high;
    for (const Enclosure& w : enclosures) {
      total_low += w.low;
      total_high += w.high;
    }
    u = (u << (precision - bits)) + uniform_bits(precision - bits, source);
    bits = precision;
    // U * total lies in [at_least, at_most) * 2^-bits, in units of the weights
    const mpz_class at_least = u * total_low;
    const mpz_class at_most = (u + 1) * total_high;

    // The first k with U * total surely below the cumulative weight up to it; all are compared, so
    // that the time does not tell which it was.
    mpz_class before_high, upto_low;  // bounds of the cumulative weight before and up to k
    std::size_t chosen = 0;
    bool sure = false;
    for (std::size_t k = 0; k < enclosures.size(); ++k) {
      upto_low += enclosures[k].low;
      const bool below = at_most <= upto_low << bits;
      sure |= below & (at_least >= before_high << bits);
      chosen += !below;
      before_high += enclosures[k].high;
    }
    if (sure) return chosen;
  }
}

}  // namespace idp::draws
