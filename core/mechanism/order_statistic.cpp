#include "core/mechanism/order_statistic.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/random/bernoulli.h"

namespace idp {

namespace {

// The step is 2^-kInvisibleBits of the noise's scale, which is that of the sensitivity with
// epsilon_bits() less: 2^epsilon_bits is above epsilon, unless that is beyond 2^64, where there is
// no noise to speak of.
constexpr int kInvisibleBits = 40;

int epsilon_bits(double epsilon) {
  constexpr int kMost = 64;
  return std::clamp(std::ilogb(epsilon), -1, kMost - 1) + 1;
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

// x_r, then x_{r-j} and x_{r+j} for each distance j, in units.
template <class Key>
std::vector<mpz_class> units_of(const Grid& grid, std::span<const Neighbourhood<Key>> around) {
  std::vector<mpz_class> units;
  units.reserve(1 + 2 * around.size());
  units.push_back(grid.units(around.front().at));
  for (const Neighbourhood<Key>& at_distance : around) {
    units.push_back(grid.units(at_distance.below));
    units.push_back(grid.units(at_distance.above));
  }
  return units;
}

// the local sensitivity at each distance
std::vector<mpq_class> sensitivities(const std::vector<mpz_class>& units) {
  std::vector<mpq_class> all;
  all.reserve(units.size() / 2);
  for (std::size_t i = 1; i < units.size(); i += 2) {
    all.emplace_back(local_sensitivity(units[i], units.front(), units[i + 1]));
  }
  return all;
}

// The finest step that one of the sensitivities asks for; nothing if all are 0.
std::optional<long> finest(const std::vector<mpq_class>& exact, std::span<const double> epsilons) {
  std::optional<long> least;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (exact[i] == 0) continue;
    const long bits_dropped = dropped_bits(exact[i].get_num(), epsilons[i]);
    least = least ? std::min(*least, bits_dropped) : bits_dropped;
  }
  return least;
}

}  // namespace

int dropped_bits(int sensitivity_bits, double epsilon) {
  return sensitivity_bits - 1 - kInvisibleBits - epsilon_bits(epsilon);
}

long dropped_bits(const mpz_class& sensitivity, double epsilon) {
  return dropped_bits(static_cast<int>(mpz_sizeinbase(sensitivity.get_mpz_t(), 2)), epsilon);
}

template <class Key>
Frozen freeze_order_statistic(const Grid& grid, std::span<const Neighbourhood<Key>> around,
                              std::span<const double> epsilons, BitSource& bits) {
  Frozen frozen;
  if (around.empty()) return frozen;
  // Neighbours spread with the distance: the last ones hold all others between them.
  const int below = grid.infinity_sign(around.back().below);
  const int above = grid.infinity_sign(around.back().above);
  if (below != 0 || above != 0) {
    if (below != above) return frozen;
    frozen.kind = Frozen::Kind::kInfinite;
    frozen.infinity = below;
    return frozen;
  }
  frozen.kind = Frozen::Kind::kNoisy;
  std::vector<mpz_class> units = units_of(grid, around);
  std::vector<mpq_class>& own = frozen.sensitivities.emplace_back(sensitivities(units));
  if (grid.is_float()) {
    if (const std::optional<long> dropped = finest(own, epsilons)) {
      for (mpz_class& value : units) value = coarsen(value, *dropped);
      own = sensitivities(units);
      frozen.dropped = *dropped;
      frozen.fill = uniform_bits(kFillBits, bits);
    }
  }
  frozen.values.push_back(std::move(units.front()));
  return frozen;
}

template <class Key>
Key answer_order_statistic(const Grid& grid, const Frozen& frozen, const mpz_class& noise) {
  if (frozen.kind == Frozen::Kind::kInfinite) return grid.infinity<Key>(frozen.infinity);
  mpz_class answer = frozen.values.front() + noise;
  if constexpr (std::is_same_v<Key, Key64>) {
    if (grid.is_float()) {
      answer <<= kFillBits;
      answer += frozen.fill;
      return ordered_bits(nearest_float(
          answer, kFloatStepExponent + frozen.dropped - static_cast<long>(kFillBits), grid.type));
    }
  }
  return grid.nearest<Key>(answer);
}

template Frozen freeze_order_statistic(const Grid&, std::span<const Neighbourhood<Key64>>,
                                       std::span<const double>, BitSource&);
template Frozen freeze_order_statistic(const Grid&, std::span<const Neighbourhood<Key128>>,
                                       std::span<const double>, BitSource&);
template Key64 answer_order_statistic(const Grid&, const Frozen&, const mpz_class&);
template Key128 answer_order_statistic(const Grid&, const Frozen&, const mpz_class&);

}  // namespace idp
