// The draws of core/random/short_geometric.h over any source (draws/bernoulli.h).
//
// Coins and uniform numbers are computed in integers of two words, Wide: 128 bits of 64 in the
// library. What is said about sizes holds for any width of at least eight bits.
//
// The draws are inline so that the compiler makes one function of what each answer takes: it leaves
// templates that are used twice apart otherwise, and a draw takes an eighth more instructions.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstdint>

#include "core/grid/grid.h"
#include "core/grid/key.h"
#include "core/random/draws/bernoulli.h"
#include "core/random/draws/geometric_parts.h"
#include "core/random/short_geometric.h"

namespace idp::draws {

inline constexpr unsigned kMostTimes = 127;  // that many numbers of 2w - 9 bits are of 2w - 2

inline mpz_class as_long(Uint128 v) {
  return v >> 64 == 0 ? mpz_class(static_cast<unsigned long>(v)) : mpz_from(static_cast<Int128>(v));
}

// uniform_below()
template <class Wide, class Source>
inline Wide short_uniform(Wide bound, Source& source) {
  constexpr int kWordBits = Source::kWordBits;
  const Wide last = static_cast<Wide>(bound - 1);
  if (last == 0) return 0;
  const int bits = bit_width(last);
  for (;;) {
    Wide v = source.word();
    if (bits <= kWordBits) {
      v = static_cast<Wide>(v >> (kWordBits - bits));
    } else {
      v = static_cast<Wide>(v << (bits - kWordBits) | source.word() >> (2 * kWordBits - bits));
    }
    if (v <= last) return v;
  }
}

// steady_bernoulli(); with words of w bits, denominator < 2^(2w - 2). Without branches, so that the
// processor has none to guess.
template <class Wide, class Source>
inline bool steady_coin(int words, Wide numerator, Wide denominator, bool matters, Source& source) {
  constexpr int kWordBits = Source::kWordBits;
  using Signed = typename TwoWords<kWordBits>::Signed;
  static_assert(sizeof(Wide) == sizeof(Signed));
  constexpr Wide kWord = static_cast<Wide>((Wide{1} << kWordBits) - 1);
  bool heads = false, open = true;
  for (; words > 0 || (open & matters); --words) {
    // w d = high 2^w + low, so n' = above 2^w - (the last w bits of low)
    const Wide word = source.word();
    const Wide high = static_cast<Wide>(word * (denominator >> kWordBits));
    const Wide low = static_cast<Wide>(word * (denominator & kWord));
    const auto above = static_cast<Signed>(
        static_cast<Wide>(numerator - high - static_cast<Wide>(low >> kWordBits)));
    const Wide rest = static_cast<Wide>((static_cast<Wide>(above) << kWordBits) - (low & kWord));
    const bool never = above <= 0;
    const bool far = above >= Signed{1} << (kWordBits - 1);
    const bool always = (above > 0) & (far | (rest >= denominator));
    heads |= open & always;
    open &= !(never | always);
    numerator = rest;  // of no account once it is decided
  }
  return heads;
}

// bernoulli_exp(); numerator <= denominator < 2^119
template <class Source>
inline bool short_coin_exp(Uint128 numerator, Uint128 denominator, Source& source) {
  Uint128 scaled = 0;
  return steady_exp(
      [&](unsigned, int words, bool matters) {
        scaled += denominator;
        return steady_coin(words, numerator, scaled, matters, source);
      },
      [&](unsigned long k) {
        return bernoulli_exp_from(k, as_long(numerator), as_long(denominator), source);
      });
}

// x / n. Where n is of one word, as the mantissa of nearly every epsilon is, by two divisions of
// the processor's: the library's chooses by how long x is.
inline Uint128 steady_quotient(Uint128 x, Uint128 n) {
  if (n >> 64 != 0) return x / n;
  const auto divisor = static_cast<std::uint64_t>(n);
  const auto high = static_cast<std::uint64_t>(x >> 64);
  const Uint128 rest = two_words(high % divisor, static_cast<std::uint64_t>(x));
  return two_words(high / divisor, static_cast<std::uint64_t>(rest / divisor));
}

// geometric(); both are below 2^119
template <class Source>
inline ShortDraw short_draw(Uint128 numerator, Uint128 denominator, Source& source) {
  const auto [u, v] =
      geometric_parts([&] { return short_uniform(denominator, source); },
                      [&](Uint128 u) { return short_coin_exp(u, denominator, source); }, source);
  if (v > kMostTimes) {
    const mpz_class x = as_long(u) + as_long(denominator) * v;
    return {0, mpz_class(x / as_long(numerator))};
  }
  const Uint128 x = u + v * denominator;
  return {static_cast<Int128>(numerator == 1 ? x : steady_quotient(x, numerator)), {}};
}

template <class Source>
inline ShortDraw short_discrete_laplace(const ShortRate& rate, Source& source) {
  return signed_draw(source, [&] { return short_draw(rate.numerator, rate.denominator, source); });
}

}  // namespace idp::draws
