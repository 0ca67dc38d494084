// unit_geometric() of core/random/bernoulli.h over any source (draws/bernoulli.h).
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstdint>

#include "core/grid/key.h"
#include "core/random/enclosure.h"

namespace idp::draws {

// The integers of two words of so many bits.
template <int kWordBits>
struct TwoWords;
template <>
struct TwoWords<64> {
  using Unsigned = Uint128;
  using Signed = Int128;
};

constexpr Uint128 two_words(std::uint64_t high, std::uint64_t low) {
  return static_cast<Uint128>(high) << 64 | low;
}

// floor(exp(-k) 2^128), k = 1, 2, …
inline constexpr Uint128 kPowersOfE[] = {
    two_words(0x5e2d58d8b3bcdf1a, 0xbadec7829054f90d),
    two_words(0x22a555477f03973f, 0xb6edd5c25a052ae3),
    two_words(0xcbed86667585764, 0xa4130191c8408680),
    two_words(0x4b0556e084f3d1d, 0xfa2bc04cb0ab88f5),
    two_words(0x1b993fe00d53761, 0xc45c249149a5b95d),
    two_words(0xa2728f889ea6ae, 0xc05d023e000435e6),
    two_words(0x3bc2d73849531d, 0x57332efd57ef4a2b),
    two_words(0x15fc21041027ac, 0xbbfcd46780fee71e),
    two_words(0x8167912932a2c, 0xc8ab6d9e082ec1b6),
    two_words(0x2f9af36ac8f93, 0x538b648eaa1310e5),
    two_words(0x118354238f676, 0x403c9efcef2efaad),
    two_words(0x671530ed0ef2, 0x2bc643b06cff1c8f),
    two_words(0x25ec0a77303b, 0x306842a4a5658da8),
    two_words(0xdf3637ed80b, 0x9086e670bd598c4),
    two_words(0x521d72889fb, 0xe02fe38b63eebcc),
    two_words(0x1e355bbaee8, 0x5cada65f73f32e88),
    two_words(0xb1cf18bad3, 0x44e5ecce1dd4e867),
    two_words(0x41698a31a6, 0x7e832211c55e95af),
    two_words(0x181056ff2c, 0x5771a77f0f91dbfb),
    two_words(0x8da432af9, 0xb93373025a28a80b),
    two_words(0x341b61a1b, 0xb67d841156e47a5e),
    two_words(0x132b48bf1, 0x17da253cef05f685),
    two_words(0x70d49f90, 0xcfeac45fad30edea),
    two_words(0x29820f1f, 0xd245141436addb03),
    two_words(0xf451bd2, 0x2fe196e818e4ee1e),
    two_words(0x59e14a9, 0xc01f9061e363dd59),
    two_words(0x2110a53, 0xecfd3446f1dfbcc),
    two_words(0xc29f80, 0xeb6a9dcfeb64183c),
    two_words(0x47990a, 0xebae128142bbc1e7),
    two_words(0x1a56e0, 0xc2ac7f74d50fd4e3),
    two_words(0x9b090, 0xf1269ddcc4bc6204),
    two_words(0x3908c, 0x9eec2c8d03c53340),
    two_words(0x14fb5, 0x47c775da786fc232),
    two_words(0x7b80, 0x7bb58aa7f51e38f),
    two_words(0x2d6e, 0xe334b3e1c054f70b),
    two_words(0x10b6, 0xc3afdde063806d10),
    two_words(0x626, 0x11c7f298153f9dab),
    two_words(0x243, 0x115ad5c66061bb01),
    two_words(0xd5, 0x6f25f9ad9bf4f1e),
    two_words(0x4e, 0x5e49266c6890a552),
    two_words(0x1c, 0xd480a1b7481fdd71),
    two_words(0xa, 0x9b2297717badf402),
    two_words(0x3, 0xe6d7a6fe85e7c2fb),
    two_words(0x1, 0x6f741de1748ebebe),
    two_words(0x0, 0x872db9e8ffa9e7d4),
    two_words(0x0, 0x31babc37613afcd9),
    two_words(0x0, 0x124b6031b49bda70),
    two_words(0x0, 0x6baeaeb8e906d2f),
};

// The same for U in [digits, digits + 1) 2^-bits, more of it revealed until it is decided.
template <class Source>
unsigned long long_unit_geometric(mpz_class digits, unsigned long bits, Source& source) {
  for (;;) {
    // U < 2^-zeros, and 0.69 < ln 2
    const unsigned long zeros = bits - (digits == 0 ? 0 : mpz_sizeinbase(digits.get_mpz_t(), 2));
    for (unsigned long v = zeros * 69 / 100;; ++v) {
      const Enclosure next = enclose_exp(v + 1, 1, bits);
      if (digits >= next.high) return v;
      if (digits >= next.low) break;  // on neither side of exp(-v - 1) for certain
    }
    digits = (digits << Source::kWordBits) + static_cast<unsigned long>(source.word());
    bits += Source::kWordBits;
  }
}

template <class Source>
unsigned long unit_geometric(Source& source) {
  constexpr int kWordBits = Source::kWordBits;
  using Wide = typename TwoWords<kWordBits>::Unsigned;
  const std::uint64_t high = source.word(), low = source.word();
  const Wide u = static_cast<Wide>(static_cast<Wide>(high) << kWordBits | low);
  unsigned long v = 0;
  bool open = false;
  Wide power = 0;
  for (const Uint128 each : kPowersOfE) {
    power = static_cast<Wide>(each >> (128 - 2 * kWordBits));
    v += u < power;
    open |= u == power;
  }
  if (open | (u < power)) {
    mpz_class digits(static_cast<unsigned long>(high));
    digits = (digits << kWordBits) + static_cast<unsigned long>(low);
    return long_unit_geometric(digits, 2 * kWordBits, source);
  }
  return v;
}

}  // namespace idp::draws
