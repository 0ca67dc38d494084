#include "core/random/heavy_tail.h"

#include "core/random/draws/heavy_tail.h"

namespace idp {

namespace {

// (numerator/denominator)^(1/degree) * 2^precision, rounded down; the floor of the root of a floor
// is the floor of the root.
mpz_class root_of(const mpz_class& numerator, const mpz_class& denominator, unsigned long degree,
                  unsigned long precision) {
  mpz_class root = (numerator << (degree * precision)) / denominator;
  mpz_root(root.get_mpz_t(), root.get_mpz_t(), degree);
  return root;
}

}  // namespace

HeavyTail::HeavyTail(int gamma, BitSource& source)
    : source_(source), z_(draws::heavy_tail(gamma, source)) {}

Enclosure HeavyTail::magnitude(unsigned long precision) {
  UniformReal& v = z_.v;
  draws::reveal(v, precision, source_);
  if (z_.root == 0) {
    Enclosure body{v.digits << precision, (v.digits + 1) << precision};
    mpz_fdiv_q_2exp(body.low.get_mpz_t(), body.low.get_mpz_t(), v.bits);
    mpz_cdiv_q_2exp(body.high.get_mpz_t(), body.high.get_mpz_t(), v.bits);
    return body;
  }
  while (v.digits == 0) draws::reveal(v, v.bits + 64, source_);  // until there is an upper end
  const mpz_class one = mpz_class(1) << v.bits;
  return {root_of(one, v.digits + 1, z_.root, precision),
          root_of(one, v.digits, z_.root, precision) + 1};
}

}  // namespace idp
