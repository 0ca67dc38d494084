#include "core/mechanism/short_order_statistic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/mechanism/order_statistic.h"
#include "core/random/short_geometric.h"

namespace idp {

namespace {

constexpr int kMostBits = 118;  // of a number; sums and differences of two have one more

// In steps.
struct ShortNeighbourhood {
  Int128 below;
  Int128 at;
  Int128 above;

  Int128 sensitivity() const { return local_sensitivity(below, at, above); }
};

Uint128 magnitude(Int128 v) { return v < 0 ? -static_cast<Uint128>(v) : static_cast<Uint128>(v); }

int width(Int128 v) { return bit_width(magnitude(v)); }

int width(const ShortNeighbourhood& v) {
  return std::max({width(v.below), width(v.at), width(v.above)});
}

// --- exact types ---

Int128 units_of(Key64 key) { return key; }
Int128 units_of(Key128 key) { return int128(key); }

template <class Key>
Key long_answer(const Grid& grid, Frozen frozen, Int128 at, const ShortDraw& noise) {
  frozen.kind = Frozen::Kind::kNoisy;
  frozen.values.push_back(mpz_from(at));
  return answer_order_statistic<Key>(grid, frozen,
                                     noise.beyond ? *noise.beyond : mpz_from(noise.value));
}

template <class Key>
std::optional<Key> release_exact(const Grid& grid, const Neighbourhood<Key>& around, double epsilon,
                                 BitSource& bits) {
  const ShortNeighbourhood units{units_of(around.below), units_of(around.at),
                                 units_of(around.above)};
  if (width(units) > kMostBits) return std::nullopt;
  const Int128 sensitivity = units.sensitivity();
  if (sensitivity < 0) return std::nullopt;
  if (sensitivity == 0) return grid.nearest<Key>(units.at);
  const auto rate = ShortRate::of(epsilon, static_cast<Uint128>(sensitivity));
  if (!rate) return std::nullopt;
  const ShortDraw noise = short_discrete_laplace(*rate, bits);
  Int128 answer;
  if (noise.beyond || __builtin_add_overflow(units.at, noise.value, &answer)) {
    return long_answer<Key>(grid, {}, units.at, noise);
  }
  return grid.nearest<Key>(answer);
}

// --- floats ---

// The value mantissa * 2^exponent.
struct Parts {
  std::int64_t mantissa;
  int exponent;
};

Parts parts_of(Key64 key) {
  constexpr int kFraction = std::numeric_limits<double>::digits - 1;
  constexpr auto kImplicit = std::int64_t{1} << kFraction;
  const auto bits = std::bit_cast<std::uint64_t>(from_ordered_bits(key));
  const int biased = static_cast<int>(bits >> kFraction & 0x7ff);
  const auto fraction = static_cast<std::int64_t>(bits & (kImplicit - 1));
  const std::int64_t size = biased == 0 ? fraction : fraction | kImplicit;
  return {bits >> 63 ? -size : size, std::max(biased, 1) - 1 + kFloatStepExponent};
}

// All of them exactly, in units of 2^exponent. False if they lie too far apart.
bool common_units(const Neighbourhood<Key64>& around, ShortNeighbourhood& units, int& exponent) {
  const Parts below = parts_of(around.below), at = parts_of(around.at),
              above = parts_of(around.above);
  int least = std::numeric_limits<int>::max(), most = kFloatStepExponent;
  for (const Parts& p : {below, at, above}) {
    if (p.mantissa == 0) continue;
    least = std::min(least, p.exponent);
    most = std::max(most, p.exponent);
  }
  exponent = std::min(least, most);  // all are 0: any will do
  if (most - exponent > kMostBits - std::numeric_limits<double>::digits) return false;
  const auto in_units = [&](const Parts& p) {
    return p.mantissa == 0 ? 0 : static_cast<Int128>(p.mantissa) << (p.exponent - exponent);
  };
  units = {in_units(below), in_units(at), in_units(above)};
  return true;
}

// (steps * 2^128 + fill) * 2^exponent as a value of the type.
Key64 key_of(Int128 steps, Uint128 fill, long exponent, ValueType type) {
  auto high = static_cast<Uint128>(steps);
  const bool negative = steps < 0;
  if (negative) {
    fill = -fill;
    high = ~high + (fill == 0);
  }
  const std::array<std::uint64_t, 4> words{
      static_cast<std::uint64_t>(fill), static_cast<std::uint64_t>(fill >> 64),
      static_cast<std::uint64_t>(high), static_cast<std::uint64_t>(high >> 64)};
  return ordered_bits(nearest_float(negative, words, exponent, type));
}

std::optional<Key64> release_float(const Grid& grid, const Neighbourhood<Key64>& around,
                                   double epsilon, BitSource& bits) {
  ShortNeighbourhood units;
  int exponent;
  if (!common_units(around, units, exponent)) return std::nullopt;
  const Int128 sensitivity = units.sensitivity();
  if (sensitivity < 0) return std::nullopt;
  if (sensitivity == 0)
    return key_of(units.at, 0, exponent - static_cast<long>(kFillBits), grid.type);

  const int finer = -dropped_bits(width(sensitivity), epsilon);  // the step is 2^-finer units
  ShortNeighbourhood steps;
  if (finer >= 0) {
    if (width(units) + finer > kMostBits) return std::nullopt;
    steps = {units.below << finer, units.at << finer, units.above << finer};
  } else {
    steps = {units.below >> -finer, units.at >> -finer, units.above >> -finer};  // floor
  }
  const auto rate = ShortRate::of(epsilon, static_cast<Uint128>(steps.sensitivity()));
  if (!rate) return std::nullopt;

  Uint128 fill = bits.word();
  fill = fill << 64 | bits.word();
  const ShortDraw noise = short_discrete_laplace(*rate, bits);
  const long step_exponent = exponent - finer;
  Int128 answer;
  if (noise.beyond || __builtin_add_overflow(steps.at, noise.value, &answer)) {
    Frozen frozen;
    frozen.dropped = step_exponent - kFloatStepExponent;
    frozen.fill = static_cast<unsigned long>(fill >> 64);
    frozen.fill <<= 64;
    frozen.fill += static_cast<unsigned long>(fill);
    return long_answer<Key64>(grid, std::move(frozen), steps.at, noise);
  }
  return key_of(answer, fill, step_exponent - static_cast<long>(kFillBits), grid.type);
}

}  // namespace

template <class Key>
std::optional<Key> short_order_statistic(const Grid& grid, const Neighbourhood<Key>& around,
                                         double epsilon, BitSource& bits) {
  if (grid.infinity_sign(around.below) != 0 || grid.infinity_sign(around.above) != 0) {
    return std::nullopt;
  }
  if constexpr (std::is_same_v<Key, Key64>) {
    if (grid.is_float()) return release_float(grid, around, epsilon, bits);
  }
  return release_exact(grid, around, epsilon, bits);
}

template std::optional<Key64> short_order_statistic(const Grid&, const Neighbourhood<Key64>&,
                                                    double, BitSource&);
template std::optional<Key128> short_order_statistic(const Grid&, const Neighbourhood<Key128>&,
                                                     double, BitSource&);

}  // namespace idp
