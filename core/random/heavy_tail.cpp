#include "core/random/heavy_tail.h"

#include "core/random/bernoulli.h"

namespace idp {

namespace {

mpz_class power(const mpz_class& base, unsigned long exponent) {
  mpz_class result;
  mpz_pow_ui(result.get_mpz_t(), base.get_mpz_t(), exponent);
  return result;
}

// (numerator/denominator)^(1/degree) * 2^precision, rounded down; the floor of the root of a floor
// is the floor of the root.
mpz_class root_of(const mpz_class& numerator, const mpz_class& denominator, unsigned long degree,
                  unsigned long precision) {
  mpz_class root = (numerator << (degree * precision)) / denominator;
  mpz_root(root.get_mpz_t(), root.get_mpz_t(), degree);
  return root;
}

}  // namespace

void UniformReal::reveal(unsigned long upto, BitSource& source) {
  if (upto <= bits) return;
  const mpz_class more = uniform_bits(upto - bits, source);
  digits = (digits << (upto - bits)) + more;
  bits = upto;
}

HeavyTail::HeavyTail(int gamma, BitSource& source) : source_(source) {
  const auto last = static_cast<unsigned long>(gamma - 1);
  do {
    v_ = UniformReal{};
    root_ = uniform_below(gamma, source_) == 0 ? last : 0;
  } while (!keep(gamma));
  negative_ = source_.word() >> 63;
}

bool HeavyTail::keep(int gamma) {
  const unsigned long e = root_ == 0 ? 1 : root_;
  const auto g = static_cast<unsigned long>(gamma);
  UniformReal w;
  for (unsigned long bits = 64;; bits += 64) {
    v_.reveal(bits, source_);
    w.reveal(bits, source_);
    const mpz_class one = mpz_class(1) << bits;
    if (power(w.digits + 1, e) * power(v_.digits + 1, g) <= power(one - w.digits - 1, e)
                                                                << (bits * g)) {
      return true;
    }
    if (power(w.digits, e) * power(v_.digits, g) >= power(one - w.digits, e) << (bits * g)) {
      return false;
    }
  }
}

Enclosure HeavyTail::magnitude(unsigned long precision) {
  v_.reveal(precision, source_);
  if (root_ == 0) {
    Enclosure body{v_.digits << precision, (v_.digits + 1) << precision};
    mpz_fdiv_q_2exp(body.low.get_mpz_t(), body.low.get_mpz_t(), v_.bits);
    mpz_cdiv_q_2exp(body.high.get_mpz_t(), body.high.get_mpz_t(), v_.bits);
    return body;
  }
  while (v_.digits == 0) v_.reveal(v_.bits + 64, source_);  // until there is an upper end
  const mpz_class one = mpz_class(1) << v_.bits;
  return {root_of(one, v_.digits + 1, root_, precision),
          root_of(one, v_.digits, root_, precision) + 1};
}

}  // namespace idp
