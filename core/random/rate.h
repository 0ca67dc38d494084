// The rate of a geometric or discrete Laplace law, exactly.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <compare>
#include <cstdint>

namespace idp {

// x = mantissa * 2^exponent with an odd mantissa, so that small numbers stay small; x finite, > 0.
struct OddParts {
  std::uint64_t mantissa;
  int exponent;
};
OddParts odd_parts(double x);

// The exponent of a geometric or discrete Laplace law: alpha = exp(-numerator/denominator), both
// positive. A rate of epsilon over sensitivity is one: a double is a rational number.
struct Rate {
  mpz_class numerator;
  mpz_class denominator;

  // epsilon / sensitivity exactly; epsilon finite and > 0, sensitivity >= 1.
  static Rate of(double epsilon, const mpz_class& sensitivity);
};

// As the numbers they are: 1/2 equals 2/4.
bool operator==(const Rate& a, const Rate& b);
std::strong_ordering operator<=>(const Rate& a, const Rate& b);

}  // namespace idp
