#include "core/random/short_geometric.h"

#include <utility>

#include "core/random/bernoulli.h"
#include "core/random/draws/short_geometric.h"
#include "core/random/rate.h"

namespace idp {

namespace {

constexpr std::size_t kMostBits = 119;

std::optional<Uint128> as_short(const mpz_class& v) {
  if (mpz_sizeinbase(v.get_mpz_t(), 2) > kMostBits) return std::nullopt;
  return static_cast<Uint128>(mpz_getlimbn(v.get_mpz_t(), 1)) << 64 |
         mpz_getlimbn(v.get_mpz_t(), 0);
}

}  // namespace

std::optional<ShortRate> ShortRate::of(double epsilon, Uint128 sensitivity) {
  const auto [mantissa, exponent] = odd_parts(epsilon);
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
  return draws::short_discrete_laplace(rate, source);
}

std::optional<mpz_class> short_geometric(const mpz_class& numerator, const mpz_class& denominator,
                                         BitSource& source) {
  const auto n = as_short(numerator), d = as_short(denominator);
  if (!n || !d) return std::nullopt;
  ShortDraw drawn = draws::short_draw(*n, *d, source);
  if (drawn.beyond) return std::move(drawn.beyond);
  return draws::as_long(static_cast<Uint128>(drawn.value));
}

}  // namespace idp
