#include "core/random/short_geometric.h"

#include <bit>
#include <cmath>
#include <utility>

#include "core/grid/grid.h"
#include "core/grid/key.h"
#include "core/random/bernoulli.h"

namespace idp {

namespace {

constexpr std::size_t kMostBits = 119;
constexpr unsigned kMostTimes = 127;  // that many denominators are below 2^126

std::optional<Uint128> as_short(const mpz_class& v) {
  if (mpz_sizeinbase(v.get_mpz_t(), 2) > kMostBits) return std::nullopt;
  return static_cast<Uint128>(mpz_getlimbn(v.get_mpz_t(), 1)) << 64 |
         mpz_getlimbn(v.get_mpz_t(), 0);
}

mpz_class as_long(Uint128 v) {
  return v >> 64 == 0 ? mpz_class(static_cast<unsigned long>(v)) : mpz_from(static_cast<Int128>(v));
}

// uniform_below()
Uint128 uniform(Uint128 bound, BitSource& source) {
  const Uint128 last = bound - 1;
  if (last == 0) return 0;
  const int bits = bit_width(last);
  for (;;) {
    Uint128 v = source.word();
    if (bits <= 64) {
      v >>= 64 - bits;
    } else {
      v = v << (bits - 64) | source.word() >> (128 - bits);
    }
    if (v <= last) return v;
  }
}

// bernoulli(); denominator < 2^126
bool coin(Uint128 numerator, Uint128 denominator, BitSource& source) {
  if (numerator >= denominator) return true;
  if (numerator == 0) return false;
  for (;;) {
    // w d = high 2^64 + low, so n' = above 2^64 - (the last 64 bits of low)
    const Uint128 word = source.word();
    const Uint128 high = word * static_cast<std::uint64_t>(denominator >> 64);
    const Uint128 low = word * static_cast<std::uint64_t>(denominator);
    const auto above =
        static_cast<Int128>(numerator) - static_cast<Int128>(high) - static_cast<Int128>(low >> 64);
    if (above <= 0) return false;
    if (above >= Int128{1} << 63) return true;  // n' > 2^126
    const Uint128 rest = (static_cast<Uint128>(above) << 64) - static_cast<std::uint64_t>(low);
    if (rest >= denominator) return true;
    numerator = rest;
  }
}

// bernoulli_exp(); numerator <= denominator < 2^119
bool coin_exp(Uint128 numerator, Uint128 denominator, BitSource& source) {
  for (unsigned k = 1; k <= kMostTimes; ++k) {
    if (!coin(numerator, k * denominator, source)) return k % 2 == 1;
  }
  return bernoulli_exp_from(kMostTimes + 1, as_long(numerator), as_long(denominator), source);
}

// The numbers of the rate are below 2^119.
ShortDraw draw(Uint128 numerator, Uint128 denominator, BitSource& source) {
  Uint128 u;
  do {
    u = uniform(denominator, source);
  } while (!coin_exp(u, denominator, source));
  std::uint64_t v = 0;
  while (coin_exp(1, 1, source)) ++v;
  if (v > kMostTimes) {
    const mpz_class x = as_long(u) + as_long(denominator) * v;
    return {0, mpz_class(x / as_long(numerator))};
  }
  const Uint128 x = u + v * denominator;
  return {static_cast<Int128>(numerator == 1 ? x : x / numerator), {}};
}

}  // namespace

std::optional<ShortRate> ShortRate::of(double epsilon, Uint128 sensitivity) {
  // epsilon = mantissa * 2^exponent with an odd mantissa, as in Rate::of()
  int exponent = 0;
  const double fraction = std::frexp(epsilon, &exponent);
  auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  const int zeros = std::countr_zero(mantissa);
  mantissa >>= zeros;
  exponent += zeros - 53;
  constexpr int kMost = kMostBits;
  if (exponent >= 0) {
    if (bit_width(Uint128{mantissa}) + exponent > kMost || bit_width(sensitivity) > kMost)
      return std::nullopt;
    return ShortRate{static_cast<Uint128>(mantissa) << exponent, sensitivity};
  }
  if (bit_width(sensitivity) - exponent > kMost) return std::nullopt;
  return ShortRate{mantissa, sensitivity << -exponent};
}

ShortDraw short_discrete_laplace(const ShortRate& rate, BitSource& source) {
  for (;;) {
    const bool negative = source.word() >> 63;
    ShortDraw drawn = draw(rate.numerator, rate.denominator, source);
    if (!negative) return drawn;
    if (drawn.beyond) {
      if (*drawn.beyond == 0) continue;
      mpz_neg(drawn.beyond->get_mpz_t(), drawn.beyond->get_mpz_t());
      return drawn;
    }
    if (drawn.value == 0) continue;
    drawn.value = -drawn.value;
    return drawn;
  }
}

std::optional<mpz_class> short_geometric(const mpz_class& numerator, const mpz_class& denominator,
                                         BitSource& source) {
  const auto n = as_short(numerator), d = as_short(denominator);
  if (!n || !d) return std::nullopt;
  ShortDraw drawn = draw(*n, *d, source);
  if (drawn.beyond) return std::move(drawn.beyond);
  return as_long(static_cast<Uint128>(drawn.value));
}

}  // namespace idp
