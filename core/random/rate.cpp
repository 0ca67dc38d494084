#include "core/random/rate.h"

#include <bit>
#include <cmath>

namespace idp {

OddParts odd_parts(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  const int zeros = std::countr_zero(mantissa);
  return {mantissa >> zeros, exponent + zeros - 53};
}

Rate Rate::of(double epsilon, const mpz_class& sensitivity) {
  const auto [mantissa, exponent] = odd_parts(epsilon);
  Rate rate{static_cast<unsigned long>(mantissa), sensitivity};
  if (exponent >= 0) {
    rate.numerator <<= static_cast<unsigned long>(exponent);
  } else {
    rate.denominator <<= static_cast<unsigned long>(-exponent);
  }
  return rate;
}

std::strong_ordering operator<=>(const Rate& a, const Rate& b) {
  const mpz_class left = a.numerator * b.denominator, right = b.numerator * a.denominator;
  return mpz_cmp(left.get_mpz_t(), right.get_mpz_t()) <=> 0;
}

bool operator==(const Rate& a, const Rate& b) { return (a <=> b) == 0; }

}  // namespace idp
