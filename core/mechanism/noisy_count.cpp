#include "core/mechanism/noisy_count.h"

#include "core/random/enclosure.h"

namespace idp {

bool supports_answer(const mpz_class& noisy, const Rate& rate) {
  if (noisy < 1) return false;
  const mpz_class exponent = noisy * rate.numerator;  // of alpha^m, over the rate's denominator
  if (exponent >= 3 * rate.denominator) return true;
  if (10 * exponent <= 23 * rate.denominator) return false;
  for (unsigned long precision = 64;; precision *= 2) {
    const Enclosure power = enclose_exp(exponent, rate.denominator, precision);
    const Enclosure alpha = enclose_exp(rate.numerator, rate.denominator, precision);
    const mpz_class one = mpz_class(1) << precision;
    if (20 * power.high <= one + alpha.low) return true;
    if (20 * power.low > one + alpha.high) return false;
  }
}

mpz_class ample_count(const Rate& rate) {
  mpz_class count;
  mpz_cdiv_q(count.get_mpz_t(), mpz_class(3 * rate.denominator).get_mpz_t(),
             rate.numerator.get_mpz_t());
  return count;
}

}  // namespace idp
