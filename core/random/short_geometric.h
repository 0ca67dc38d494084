// The geometric draw of core/random/discrete_laplace.h in two machine words: most rates are short
// enough, and what takes the time of a draw by long integers is their memory.
//
// It is the same function of the same words, decision by decision, so it has the same law: a test
// holds the two against each other.
//
// The coin Bernoulli(n/d), 0 < n < d < 2^126. A uniform real U in [0, 1) is revealed 64 bits at a
// time. With the first word w, U = (w + U')/2^64, U' uniform on [0, 1) and independent of w, and
//
//   U < n/d   if and only if   U' < n'/d,   n' = n 2^64 - w d:
//
//   n' <= 0   never;    n' >= d   always;    otherwise that is the coin Bernoulli(n'/d), a new one.
//
// So the words decide what they decide where they are compared with the digits of n/d in base 2^64:
// a word above the digit, or equal to it where the digits end, is n' <= 0; one below it is n' >= d.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <optional>

#include "core/grid/key.h"
#include "core/random/bit_source.h"

namespace idp {

// A Rate (core/random/rate.h) whose numbers are below 2^119.
struct ShortRate {
  Uint128 numerator;
  Uint128 denominator;

  // Rate::of(), epsilon finite and > 0, sensitivity >= 1; nothing if one of its numbers is longer.
  static std::optional<ShortRate> of(double epsilon, Uint128 sensitivity);
};

// An integer that nearly always has less than 127 bits.
struct ShortDraw {
  Int128 value = 0;
  std::optional<mpz_class> beyond;  // instead of value, whatever that is: only if it is unlikely

  bool operator==(int other) const { return beyond ? *beyond == other : value == other; }
  ShortDraw operator-() const {
    if (!beyond) return {-value, {}};
    return {0, mpz_class(-*beyond)};
  }
};

// discrete_laplace() of the same rate.
ShortDraw short_discrete_laplace(const ShortRate& rate, BitSource& source);

// geometric() of the rate numerator/denominator, both positive; nothing, and no word drawn, if one
// of them is 2^119 or more.
std::optional<mpz_class> short_geometric(const mpz_class& numerator, const mpz_class& denominator,
                                         BitSource& source);

}  // namespace idp
