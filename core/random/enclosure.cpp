#include "core/random/enclosure.h"

#include <mpfr.h>

namespace idp {

Enclosure enclose_exp(const mpz_class& numerator, const mpz_class& denominator,
                      unsigned long precision) {
  // exp(-x) for x far beyond the precision is below its last place.
  if (numerator > denominator * static_cast<unsigned long>(precision)) return {0, 1};
  // Below, x <= precision: x is known to 2^-(precision + 31), and exp(-x) changes by less.
  const auto working = static_cast<mpfr_prec_t>(precision + 64);
  mpfr_t x, y;
  mpfr_init2(x, working);
  mpfr_init2(y, working);
  Enclosure e;
  const auto rounded = [&](mpfr_rnd_t of_x, mpfr_rnd_t of_y, mpz_class& out) {
    mpfr_set_z(x, numerator.get_mpz_t(), of_x);
    mpfr_set_z(y, denominator.get_mpz_t(), of_x == MPFR_RNDU ? MPFR_RNDD : MPFR_RNDU);
    mpfr_div(x, x, y, of_x);
    mpfr_neg(x, x, MPFR_RNDN);  // exact
    mpfr_exp(y, x, of_y);
    mpfr_mul_2ui(y, y, precision, of_y);
    mpfr_get_z(out.get_mpz_t(), y, of_y);
  };
  rounded(MPFR_RNDU, MPFR_RNDD, e.low);
  rounded(MPFR_RNDD, MPFR_RNDU, e.high);
  mpfr_clear(x);
  mpfr_clear(y);
  return e;
}

Enclosure multiply(const Enclosure& a, const Enclosure& b, unsigned long precision) {
  Enclosure product;
  product.low = a.low * b.low;
  product.high = a.high * b.high;
  mpz_fdiv_q_2exp(product.low.get_mpz_t(), product.low.get_mpz_t(), precision);
  mpz_cdiv_q_2exp(product.high.get_mpz_t(), product.high.get_mpz_t(), precision);
  return product;
}

}  // namespace idp
