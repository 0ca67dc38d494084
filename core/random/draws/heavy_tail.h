// The draw of core/random/heavy_tail.h over any source (draws/bernoulli.h).
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include "core/random/draws/bernoulli.h"
#include "core/random/heavy_tail.h"

namespace idp::draws {

inline mpz_class power(const mpz_class& base, unsigned long exponent) {
  mpz_class result;
  mpz_pow_ui(result.get_mpz_t(), base.get_mpz_t(), exponent);
  return result;
}

template <class Source>
void reveal(UniformReal& real, unsigned long upto, Source& source) {
  if (upto <= real.bits) return;
  const mpz_class more = uniform_bits(upto - real.bits, source);
  real.digits = (real.digits << (upto - real.bits)) + more;
  real.bits = upto;
}

// The coin of the rejection, from any point on where as much of v is known as of w.
template <class Source>
bool keep_tail(int gamma, unsigned long root, UniformReal& v, UniformReal& w, Source& source) {
  const unsigned long e = root == 0 ? 1 : root;
  const auto g = static_cast<unsigned long>(gamma);
  for (;;) {
    const unsigned long bits = w.bits + Source::kWordBits;
    reveal(v, bits, source);
    reveal(w, bits, source);
    const mpz_class one = mpz_class(1) << bits;
    if (power(w.digits + 1, e) * power(v.digits + 1, g) <= power(one - w.digits - 1, e)
                                                               << (bits * g)) {
      return true;
    }
    if (power(w.digits, e) * power(v.digits, g) >= power(one - w.digits, e) << (bits * g)) {
      return false;
    }
  }
}

template <class Source>
DrawnTail heavy_tail(int gamma, Source& source) {
  const auto last = static_cast<unsigned long>(gamma - 1);
  DrawnTail z;
  UniformReal w;
  do {
    z.v = w = UniformReal{};
    z.root = uniform_below(gamma, source) == 0 ? last : 0;
  } while (!keep_tail(gamma, z.root, z.v, w, source));
  z.negative = fair_coin(source);
  return z;
}

}  // namespace idp::draws
