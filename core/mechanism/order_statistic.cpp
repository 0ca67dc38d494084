#include "core/mechanism/order_statistic.h"

#include <algorithm>
#include <cmath>

#include "core/random/bernoulli.h"
#include "core/random/discrete_laplace.h"

namespace idp {

namespace {

mpz_class noise(double epsilon, const mpz_class& sensitivity, BitSource& bits) {
  return discrete_laplace(Rate::of(epsilon, sensitivity), bits);
}

// How many bits of the finest float grid the noise's grid drops; negative: it is finer still.
// sensitivity >= 1 in units of the finest grid.
long coarsening(const mpz_class& sensitivity, double epsilon) {
  constexpr long kInvisible = 40;    // the step is 2^-40 of the noise's scale
  constexpr long kMostEpsilon = 64;  // beyond epsilon = 2^64 there is no noise to speak of
  const long sensitivity_bits = static_cast<long>(mpz_sizeinbase(sensitivity.get_mpz_t(), 2)) - 1;
  const long epsilon_bits = std::clamp<long>(std::ilogb(epsilon) + 1L, 0, kMostEpsilon);
  return sensitivity_bits - kInvisible - epsilon_bits;
}

mpz_class coarsen(const mpz_class& units, long bits) {
  mpz_class v;
  if (bits >= 0) {
    mpz_fdiv_q_2exp(v.get_mpz_t(), units.get_mpz_t(), static_cast<mp_bitcnt_t>(bits));  // floor
  } else {
    mpz_mul_2exp(v.get_mpz_t(), units.get_mpz_t(), static_cast<mp_bitcnt_t>(-bits));
  }
  return v;
}

Key64 release_float(const Grid& grid, const mpz_class& below, const mpz_class& at,
                    const mpz_class& above, double epsilon, BitSource& bits) {
  const long dropped = coarsening(local_sensitivity(below, at, above), epsilon);
  const mpz_class value = coarsen(at, dropped);
  const mpz_class sensitivity =
      local_sensitivity(coarsen(below, dropped), value, coarsen(above, dropped));
  constexpr unsigned long kFill = 128;  // enough for a whole mantissa even if the value is 0
  mpz_class answer = value + noise(epsilon, sensitivity, bits);
  answer <<= kFill;
  answer += uniform_bits(kFill, bits);
  return ordered_bits(
      nearest_float(answer, kFloatStepExponent + dropped - static_cast<long>(kFill), grid.type));
}

}  // namespace

template <class Key>
std::optional<Key> release_order_statistic(const Grid& grid, const Neighbourhood<Key>& around,
                                           double epsilon, BitSource& bits) {
  if (around.below == around.at && around.at == around.above) return around.at;
  if (grid.infinity_sign(around.below) != 0 || grid.infinity_sign(around.above) != 0) {
    return std::nullopt;
  }
  const mpz_class below = grid.units(around.below);
  const mpz_class at = grid.units(around.at);
  const mpz_class above = grid.units(around.above);
  if constexpr (std::is_same_v<Key, Key64>) {
    if (grid.is_float()) return release_float(grid, below, at, above, epsilon, bits);
  }
  const mpz_class sensitivity = local_sensitivity(below, at, above);
  return grid.nearest<Key>(at + noise(epsilon, sensitivity, bits));
}

template std::optional<Key64> release_order_statistic(const Grid&, const Neighbourhood<Key64>&,
                                                      double, BitSource&);
template std::optional<Key128> release_order_statistic(const Grid&, const Neighbourhood<Key128>&,
                                                       double, BitSource&);

}  // namespace idp
