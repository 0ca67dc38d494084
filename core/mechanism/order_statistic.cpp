#include "core/mechanism/order_statistic.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/mechanism/group.h"
#include "core/random/bernoulli.h"

namespace idp {

namespace {

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

// f(D) and its neighbours in units
struct Units {
  mpz_class at;
  std::vector<mpz_class> below, above;

  // the local sensitivity at each distance
  std::vector<mpz_class> sensitivities() const {
    std::vector<mpz_class> s;
    for (std::size_t i = 0; i < below.size(); ++i) {
      s.push_back(local_sensitivity(below[i], at, above[i]));
    }
    return s;
  }
};

Key64 release_float(const Grid& grid, const Units& units, std::span<const double> epsilons,
                    BitSource& bits) {
  // The finest step that one of the sensitivities asks for. One at least is not 0.
  std::optional<long> finest;
  const std::vector<mpz_class> exact = units.sensitivities();
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (exact[i] == 0) continue;
    const long bits_dropped = coarsening(exact[i], epsilons[i]);
    finest = finest ? std::min(*finest, bits_dropped) : bits_dropped;
  }
  const long dropped = finest.value_or(0);
  Units coarse{coarsen(units.at, dropped), {}, {}};
  for (const mpz_class& x : units.below) coarse.below.push_back(coarsen(x, dropped));
  for (const mpz_class& x : units.above) coarse.above.push_back(coarsen(x, dropped));

  constexpr unsigned long kFill = 128;  // enough for a whole mantissa even if the value is 0
  mpz_class answer = coarse.at + group_noise(epsilons, coarse.sensitivities(), bits);
  answer <<= kFill;
  answer += uniform_bits(kFill, bits);
  return ordered_bits(
      nearest_float(answer, kFloatStepExponent + dropped - static_cast<long>(kFill), grid.type));
}

}  // namespace

template <class Key>
std::optional<Key> release_order_statistic(const Grid& grid,
                                           std::span<const Neighbourhood<Key>> around,
                                           std::span<const double> epsilons, BitSource& bits) {
  // Neighbours spread with the distance: the last ones hold all others between them.
  const Neighbourhood<Key>& farthest = around.back();
  if (farthest.below == farthest.at && farthest.at == farthest.above) return farthest.at;
  if (grid.infinity_sign(farthest.below) != 0 || grid.infinity_sign(farthest.above) != 0) {
    return std::nullopt;
  }
  Units units{grid.units(farthest.at), {}, {}};
  for (const Neighbourhood<Key>& at_distance : around) {
    units.below.push_back(grid.units(at_distance.below));
    units.above.push_back(grid.units(at_distance.above));
  }
  if constexpr (std::is_same_v<Key, Key64>) {
    if (grid.is_float()) return release_float(grid, units, epsilons, bits);
  }
  return grid.nearest<Key>(units.at + group_noise(epsilons, units.sensitivities(), bits));
}

template std::optional<Key64> release_order_statistic(const Grid&,
                                                      std::span<const Neighbourhood<Key64>>,
                                                      std::span<const double>, BitSource&);
template std::optional<Key128> release_order_statistic(const Grid&,
                                                       std::span<const Neighbourhood<Key128>>,
                                                       std::span<const double>, BitSource&);

}  // namespace idp
