#include "core/grid/public_grid.h"

#include <algorithm>
#include <cmath>

#include "core/grid/room.h"

namespace idp {

namespace {

// floor(x / 2^exponent) for x of at most 53 bits above 2^exponent: all whole numbers, one shift.
std::int64_t floor_of(double x, long exponent) {
  if (x == 0) return 0;
  int own = 0;
  const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &own), 53));
  return mantissa >> std::min(exponent - (own - 53), 63L);
}

}  // namespace

template <class Key>
PublicGrid<Key>::PublicGrid(const Grid& grid, Key lower, Key upper)
    : grid_(grid), lower_key_(lower), upper_key_(upper) {
  require_room();
  if constexpr (std::is_same_v<Key, Key64>) {
    if (grid_.is_float()) {
      const double low = from_ordered_bits(lower), high = from_ordered_bits(upper);
      const double magnitude = std::max(std::fabs(low), std::fabs(high));
      // It is in [2^(exponent - 1), 2^exponent), so that no value between the bounds has more than
      // 53 bits above the step.
      int exponent = 0;
      (void)std::frexp(magnitude, &exponent);
      const long dropped = magnitude > 0 ? exponent - 53L - kFloatStepExponent : 0;
      dropped_ = static_cast<unsigned long>(std::max(0L, dropped));
      lower_ = static_cast<long>(-floor_of(-low, step_exponent()));  // ceiling
      upper_ = floor_steps(upper);
      return;
    }
  }
  lower_ = grid_.units(lower);
  upper_ = grid_.units(upper);
}

template <class Key>
mpz_class PublicGrid<Key>::floor_steps(Key key) const {
  if constexpr (std::is_same_v<Key, Key64>) {
    if (grid_.is_float()) {
      return static_cast<long>(floor_of(from_ordered_bits(key), step_exponent()));
    }
  }
  return grid_.units(key);
}

template <class Key>
mpz_class PublicGrid<Key>::steps(Key key) const {
  return std::clamp(floor_steps(std::clamp(key, lower_key_, upper_key_)), lower_, upper_);
}

template <class Key>
Key PublicGrid<Key>::key(const mpz_class& steps) const {
  if constexpr (std::is_same_v<Key, Key64>) {
    if (grid_.is_float()) {
      // As a double even for real columns: 2^53 steps need it to be exact.
      return ordered_bits(nearest_float(steps, kFloatStepExponent + static_cast<long>(dropped_),
                                        ValueType::kFloat64));
    }
  }
  return grid_.nearest<Key>(steps);
}

template <class Key>
Key PublicGrid<Key>::answer(const mpz_class& steps) const {
  const Key exact = key(steps);
  if constexpr (std::is_same_v<Key, Key64>) {
    if (grid_.type == ValueType::kFloat32) {
      return ordered_bits(static_cast<double>(static_cast<float>(from_ordered_bits(exact))));
    }
  }
  return exact;
}

template class PublicGrid<Key64>;
template class PublicGrid<Key128>;

}  // namespace idp
