// Real numbers >= 0, enclosed by integers at a precision of the caller's choice.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

namespace idp {

// low <= w * 2^precision <= high
struct Enclosure {
  mpz_class low;
  mpz_class high;
};

// exp(-numerator/denominator) * 2^precision, to within two units; numerator >= 0, denominator >= 1.
Enclosure enclose_exp(const mpz_class& numerator, const mpz_class& denominator,
                      unsigned long precision);

// The product of two enclosures of numbers >= 0 at the same precision.
Enclosure multiply(const Enclosure& a, const Enclosure& b, unsigned long precision);

}  // namespace idp
