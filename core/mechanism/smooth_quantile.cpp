#include "core/mechanism/smooth_quantile.h"

#include <algorithm>

#include "core/grid/room.h"
#include "core/mechanism/global_quantile.h"
#include "core/random/heavy_tail.h"
#include "core/sensitivity/smooth.h"

namespace idp {

namespace {

// numerator/denominator * e * z * 2^-(2 precision) to the nearest integer
mpz_class nearest(const mpz_class& numerator, const mpz_class& denominator, const mpz_class& e,
                  const mpz_class& z, unsigned long precision) {
  // floor(x + 1/2) = floor((2 x + 1) / 2)
  const mpz_class unit = denominator << (2 * precision);
  return (2 * numerator * e * z + unit) / (2 * unit);
}

}  // namespace

mpz_class smooth_quantile(const RankedData& data, const BoundedRank& at, const SmoothNoise& noise,
                          BitSource& bits, StopCheck stop) {
  require_room();
  const mpz_class value = order_statistic_or_middle(data, at);
  const Rate beta = Rate::of(noise.epsilon, noise.gamma);
  const DecayedGap s = smooth_sensitivity(data, at, beta, stop);
  if (s.gap == 0) return value;

  // 4 gamma/epsilon = 4/beta
  const Decay decay(beta);
  const mpz_class numerator = 4 * s.gap * beta.denominator;
  HeavyTail tail(noise.gamma, bits);
  const auto answer = [&](const mpz_class& magnitude) {
    const mpz_class shift = tail.negative() ? mpz_class(-magnitude) : magnitude;
    return std::clamp<mpz_class>(value + shift, at.lower, at.upper);
  };
  for (unsigned long precision = 128;; precision *= 2) {
    const Enclosure e = decay.power(s.distance, precision);
    const Enclosure z = tail.magnitude(precision);
    const mpz_class least = answer(nearest(numerator, beta.numerator, e.low, z.low, precision));
    const mpz_class most = answer(nearest(numerator, beta.numerator, e.high, z.high, precision));
    if (least == most) return least;
  }
}

}  // namespace idp
