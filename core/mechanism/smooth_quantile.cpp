#include "core/mechanism/smooth_quantile.h"

#include <algorithm>

#include "core/grid/public_grid.h"
#include "core/mechanism/global_quantile.h"
#include "core/random/heavy_tail.h"
#include "core/select/ranked_values.h"
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

mpz_class smooth_quantile(const RankedData& data, std::int64_t rank, const mpz_class& lower,
                          const mpz_class& upper, double epsilon, int gamma, BitSource& bits,
                          StopCheck stop) {
  const mpz_class at = order_statistic_or_middle(data, rank, lower, upper);
  const Rate beta = Rate::of(epsilon, gamma);
  const DecayedGap s = smooth_sensitivity(data, rank, lower, upper, beta, stop);
  if (s.gap == 0) return at;

  // 4 gamma/epsilon = 4/beta
  const Decay decay(beta);
  const mpz_class numerator = 4 * s.gap * beta.denominator;
  HeavyTail noise(gamma, bits);
  const auto answer = [&](const mpz_class& magnitude) {
    const mpz_class shift = noise.negative() ? mpz_class(-magnitude) : magnitude;
    return std::clamp<mpz_class>(at + shift, lower, upper);
  };
  for (unsigned long precision = 128;; precision *= 2) {
    const Enclosure e = decay.power(s.distance, precision);
    const Enclosure z = noise.magnitude(precision);
    const mpz_class least = answer(nearest(numerator, beta.numerator, e.low, z.low, precision));
    const mpz_class most = answer(nearest(numerator, beta.numerator, e.high, z.high, precision));
    if (least == most) return least;
  }
}

template <class Key>
Key release_smooth_quantile(const Grid& grid, Key lower, Key upper, std::int64_t rank,
                            const Values<Key>& values, double epsilon, int gamma,
                            std::pmr::memory_resource* memory, StopCheck stop, BitSource& bits) {
  const PublicGrid<Key> steps(grid, lower, upper);
  const RankedValues<Key> data(values, steps, memory, stop);
  return steps.answer(
      smooth_quantile(data, rank, steps.lower(), steps.upper(), epsilon, gamma, bits, stop));
}

template Key64 release_smooth_quantile(const Grid&, Key64, Key64, std::int64_t,
                                       const Values<Key64>&, double, int,
                                       std::pmr::memory_resource*, StopCheck, BitSource&);
template Key128 release_smooth_quantile(const Grid&, Key128, Key128, std::int64_t,
                                        const Values<Key128>&, double, int,
                                        std::pmr::memory_resource*, StopCheck, BitSource&);

}  // namespace idp
