#include "core/random/bernoulli.h"

#include "core/random/draws/bernoulli.h"

namespace idp {

mpz_class uniform_bits(unsigned long bits, BitSource& source) {
  return draws::uniform_bits(bits, source);
}

mpz_class uniform_below(const mpz_class& bound, BitSource& source) {
  return draws::uniform_below(bound, source);
}

bool bernoulli(const mpz_class& numerator, const mpz_class& denominator, BitSource& source) {
  return draws::bernoulli(numerator, denominator, source);
}

bool bernoulli_exp_from(unsigned long k, const mpz_class& numerator, const mpz_class& denominator,
                        BitSource& source) {
  return draws::bernoulli_exp_from(k, numerator, denominator, source);
}

bool bernoulli_exp(const mpz_class& numerator, const mpz_class& denominator, BitSource& source) {
  return draws::bernoulli_exp(numerator, denominator, source);
}

bool steady_bernoulli(int words, const mpz_class& numerator, const mpz_class& denominator,
                      bool matters, BitSource& source) {
  return draws::steady_bernoulli(words, numerator, denominator, matters, source);
}

unsigned long unit_geometric(BitSource& source) { return draws::unit_geometric(source); }

}  // namespace idp
