// The coins of core/random/bernoulli.h over any source of words.
//
// Draws are templates so that their laws can be added up instead of estimated: a test tries
// everything that can be drawn. Two things make that possible.
//   - Words have Source::kWordBits bits, and no draw knows that these are 64: among words of a few
//     bits all can be tried.
//   - A draw calls those it is made of by their plain names, and an overload for the source at hand
//     is preferred to a template. For a BitSource those are the library's functions. A source of a
//     test brings an overload with the law of the layer below, and the layer above is walked alone.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <algorithm>
#include <cstdint>

#include "core/grid/key.h"
#include "core/random/draws/unit_geometric.h"

namespace idp::draws {

// One uniform bit.
template <class Source>
bool fair_coin(Source& source) {
  return source.word() >> (Source::kWordBits - 1) != 0;
}

template <class Source>
mpz_class uniform_bits(unsigned long bits, Source& source) {
  constexpr unsigned long kWordBits = Source::kWordBits;
  mpz_class v;
  for (unsigned long done = 0; done < bits; done += kWordBits) {
    const unsigned long take = std::min(bits - done, kWordBits);
    v <<= take;
    v += static_cast<unsigned long>(source.word() >> (kWordBits - take));
  }
  return v;
}

template <class Source>
mpz_class uniform_below(const mpz_class& bound, Source& source) {
  const mpz_class last = bound - 1;
  if (last == 0) return last;
  const unsigned long bits = mpz_sizeinbase(last.get_mpz_t(), 2);
  for (;;) {
    mpz_class v = uniform_bits(bits, source);
    if (v <= last) return v;
  }
}

// bernoulli() for a denominator of 64 bits, where the digits of the quotient come from the
// processor's own division.
template <class Source>
bool bernoulli_word(std::uint64_t numerator, std::uint64_t denominator, Source& source) {
  std::uint64_t remainder = numerator;
  for (;;) {
    const Uint128 shifted = static_cast<Uint128>(remainder) << Source::kWordBits;
    const std::uint64_t digit = static_cast<std::uint64_t>(shifted / denominator);
    remainder = static_cast<std::uint64_t>(shifted % denominator);
    const std::uint64_t word = source.word();
    if (word != digit) return word < digit;
    if (remainder == 0) return false;  // the expansion ends here: the uniform real is not below it
  }
}

template <class Source>
bool bernoulli(const mpz_class& numerator, const mpz_class& denominator, Source& source) {
  if (numerator >= denominator) return true;
  if (numerator == 0) return false;
  if (denominator.fits_ulong_p()) {
    return bernoulli_word(numerator.get_ui(), denominator.get_ui(), source);
  }
  mpz_class remainder = numerator;
  mpz_class digit;
  for (;;) {
    remainder <<= Source::kWordBits;
    mpz_fdiv_qr(digit.get_mpz_t(), remainder.get_mpz_t(), remainder.get_mpz_t(),
                denominator.get_mpz_t());
    const unsigned long word = source.word();
    const int order = mpz_cmp_ui(digit.get_mpz_t(), word);
    if (order != 0) return order > 0;
    if (remainder == 0) return false;
  }
}

template <class Source>
bool steady_bernoulli(int words, const mpz_class& numerator, const mpz_class& denominator,
                      bool matters, Source& source) {
  mpz_class remainder = numerator;
  mpz_class digit;
  int order = 0;  // of the digits against the words, once they differ
  for (; words > 0; --words) {
    remainder <<= Source::kWordBits;
    mpz_fdiv_qr(digit.get_mpz_t(), remainder.get_mpz_t(), remainder.get_mpz_t(),
                denominator.get_mpz_t());
    const int here = mpz_cmp_ui(digit.get_mpz_t(), source.word());
    if (order == 0) order = here;
  }
  if (order != 0) return order > 0;
  return matters && bernoulli(remainder, denominator, source);
}

template <class Source>
bool bernoulli_exp_from(unsigned long k, const mpz_class& numerator, const mpz_class& denominator,
                        Source& source) {
  mpz_class scaled = denominator * k;
  bool odd = k % 2 == 1;
  while (bernoulli(numerator, scaled, source)) {
    scaled += denominator;
    odd = !odd;
  }
  return odd;
}

inline constexpr unsigned kFlips = 22;
inline constexpr unsigned kLongFlips = 4;

// bernoulli_exp() for g <= 1. flip(k, words, matters) is the k-th; from_flip(k) what is left when
// those before were heads.
template <class Flip, class FromFlip>
inline bool steady_exp(Flip flip, FromFlip from_flip) {
  bool heads = true, odd = true;  // all so far; whether the next flip is an odd one
  for (unsigned k = 1; k <= kFlips; ++k) {
    heads &= flip(k, k <= kLongFlips ? 2 : 1, heads);
    odd ^= heads;
  }
  if (heads) return from_flip(kFlips + 1);
  return odd;
}

template <class Source>
bool bernoulli_exp(const mpz_class& numerator, const mpz_class& denominator, Source& source) {
  mpz_class whole, rest = numerator;
  const bool is_long = numerator > denominator;
  if (is_long) {
    mpz_fdiv_qr(whole.get_mpz_t(), rest.get_mpz_t(), rest.get_mpz_t(), denominator.get_mpz_t());
  }
  mpz_class scaled;
  const bool kept = steady_exp(
      [&](unsigned, int words, bool matters) {
        scaled += denominator;
        return steady_bernoulli(words, rest, scaled, matters, source);
      },
      [&](unsigned long k) { return bernoulli_exp_from(k, rest, denominator, source); });
  return is_long ? kept & (unit_geometric(source) >= whole) : kept;
}

}  // namespace idp::draws
