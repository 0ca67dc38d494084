#include "core/random/bernoulli.h"

namespace idp {

mpz_class uniform_bits(unsigned long bits, BitSource& source) {
  mpz_class v;
  for (unsigned long done = 0; done < bits; done += 64) {
    const unsigned long take = bits - done < 64 ? bits - done : 64;
    v <<= take;
    v += static_cast<unsigned long>(source.word() >> (64 - take));
  }
  return v;
}

mpz_class uniform_below(const mpz_class& bound, BitSource& source) {
  const mpz_class last = bound - 1;
  if (last == 0) return last;
  const unsigned long bits = mpz_sizeinbase(last.get_mpz_t(), 2);
  for (;;) {
    mpz_class v = uniform_bits(bits, source);
    if (v <= last) return v;
  }
}

namespace {

// The same comparison for a denominator of one word, where the digits of the quotient come from the
// processor's own division.
bool bernoulli_word(std::uint64_t numerator, std::uint64_t denominator, BitSource& source) {
  __extension__ typedef unsigned __int128 Wide;
  std::uint64_t remainder = numerator;
  for (;;) {
    const Wide shifted = static_cast<Wide>(remainder) << 64;
    const std::uint64_t digit = static_cast<std::uint64_t>(shifted / denominator);
    remainder = static_cast<std::uint64_t>(shifted % denominator);
    const std::uint64_t word = source.word();
    if (word != digit) return word < digit;
    if (remainder == 0) return false;  // the expansion ends here: the uniform real is not below it
  }
}

}  // namespace

bool bernoulli(const mpz_class& numerator, const mpz_class& denominator, BitSource& source) {
  if (numerator >= denominator) return true;
  if (numerator == 0) return false;
  if (denominator.fits_ulong_p()) {
    return bernoulli_word(numerator.get_ui(), denominator.get_ui(), source);
  }
  mpz_class remainder = numerator;
  mpz_class digit;
  for (;;) {
    remainder <<= 64;
    mpz_fdiv_qr(digit.get_mpz_t(), remainder.get_mpz_t(), remainder.get_mpz_t(),
                denominator.get_mpz_t());
    const unsigned long word = source.word();
    const int order = mpz_cmp_ui(digit.get_mpz_t(), word);
    if (order != 0) return order > 0;
    if (remainder == 0) return false;
  }
}

bool bernoulli_exp_from(unsigned long k, const mpz_class& numerator, const mpz_class& denominator,
                        BitSource& source) {
  mpz_class scaled = denominator * k;
  bool odd = k % 2 == 1;
  while (bernoulli(numerator, scaled, source)) {
    scaled += denominator;
    odd = !odd;
  }
  return odd;
}

namespace {

// exp(-n/d) for n <= d
bool bernoulli_exp_fraction(const mpz_class& numerator, const mpz_class& denominator,
                            BitSource& source) {
  return bernoulli_exp_from(1, numerator, denominator, source);
}

}  // namespace

bool bernoulli_exp(const mpz_class& numerator, const mpz_class& denominator, BitSource& source) {
  if (numerator <= denominator) return bernoulli_exp_fraction(numerator, denominator, source);
  mpz_class whole, rest;
  mpz_fdiv_qr(whole.get_mpz_t(), rest.get_mpz_t(), numerator.get_mpz_t(), denominator.get_mpz_t());
  const mpz_class one = 1;
  for (; whole > 0; --whole) {
    if (!bernoulli_exp_fraction(one, one, source)) return false;
  }
  return bernoulli_exp_fraction(rest, denominator, source);
}

}  // namespace idp
