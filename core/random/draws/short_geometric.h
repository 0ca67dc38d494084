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

// The integers of two words of so many bits.
template <int kWordBits>
struct TwoWords;
template <>
struct TwoWords<64> {
  using Unsigned = Uint128;
  using Signed = Int128;
};

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

// bernoulli(); with words of w bits, denominator < 2^(2w - 2)
template <class Wide, class Source>
inline bool short_coin(Wide numerator, Wide denominator, Source& source) {
  constexpr int kWordBits = Source::kWordBits;
  using Signed = typename TwoWords<kWordBits>::Signed;
  static_assert(sizeof(Wide) == sizeof(Signed));
  constexpr Wide kWord = static_cast<Wide>((Wide{1} << kWordBits) - 1);
  if (numerator >= denominator) return true;
  if (numerator == 0) return false;
  for (;;) {
    // w d = high 2^w + low, so n' = above 2^w - (the last w bits of low)
    const Wide word = source.word();
    const Wide high = static_cast<Wide>(word * (denominator >> kWordBits));
    const Wide low = static_cast<Wide>(word * (denominator & kWord));
    const auto above =
        static_cast<Signed>(static_cast<Signed>(numerator) - static_cast<Signed>(high) -
                            static_cast<Signed>(low >> kWordBits));
    if (above <= 0) return false;
    if (above >= Signed{1} << (kWordBits - 1)) return true;  // n' > 2^(2w - 2)
    const Wide rest = static_cast<Wide>((static_cast<Wide>(above) << kWordBits) - (low & kWord));
    if (rest >= denominator) return true;
    numerator = rest;
  }
}

// bernoulli_exp(); numerator <= denominator < 2^119. The flips are those of bernoulli_exp_from():
// written once for both kinds of integers they take a tenth more of a draw's time.
template <class Source>
inline bool short_coin_exp(Uint128 numerator, Uint128 denominator, Source& source) {
  for (unsigned k = 1; k <= kMostTimes; ++k) {
    if (!short_coin(numerator, k * denominator, source)) return k % 2 == 1;
  }
  return bernoulli_exp_from(kMostTimes + 1, as_long(numerator), as_long(denominator), source);
}

// geometric(); both are below 2^119
template <class Source>
inline ShortDraw short_draw(Uint128 numerator, Uint128 denominator, Source& source) {
  const auto [u, v] =
      geometric_parts([&] { return short_uniform(denominator, source); },
                      [&](Uint128 u) { return short_coin_exp(u, denominator, source); },
                      [&] { return short_coin_exp(1, 1, source); });
  if (v > kMostTimes) {
    const mpz_class x = as_long(u) + as_long(denominator) * v;
    return {0, mpz_class(x / as_long(numerator))};
  }
  const Uint128 x = u + v * denominator;
  return {static_cast<Int128>(numerator == 1 ? x : x / numerator), {}};
}

template <class Source>
inline ShortDraw short_discrete_laplace(const ShortRate& rate, Source& source) {
  return signed_draw(source, [&] { return short_draw(rate.numerator, rate.denominator, source); });
}

}  // namespace idp::draws
