// A value as its distance from the lower bound, in steps of the public grid: what sums are made of.
//
//   offset(key) = PublicGrid::steps(key) - PublicGrid::lower(), between 0 and width()
//
// PublicGrid says what a step is and does it in long integers; this is the same function in a few
// instructions, for every row. Offsets are never negative, so their sums and squares only grow.
//
// Floats: a step is a power of two, and multiplying by one is exact unless the product leaves the
// normal range. It cannot overflow, since a clamped value is at most 2^53 steps. Where values are
// scaled up nothing is lost (the factor can be 2^1074, so there are two). Where they are scaled
// down a value far below a step can become a rounded one, or zero: it stays far below a step, so
// only its sign matters, and that is taken from the value itself.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <algorithm>
#include <cstdint>

#include "core/grid/grid.h"
#include "core/grid/key.h"

namespace idp {

mpz_class mpz_from_unsigned(Uint128 v);

class Offsets {
 public:
  Offsets() = default;
  // lower <= upper, both finite; keys of the grid, narrow ones widened
  Offsets(const Grid& grid, Key128 lower, Key128 upper);

  // Grids of narrow keys. At most 2^54 for floats, anything for bigint.
  std::uint64_t narrow(Key64 key) const {
    const Key64 inside = std::clamp(key, lower_, upper_);
    if (!is_float_) return static_cast<std::uint64_t>(inside) - static_cast<std::uint64_t>(lower_);
    const double x = from_ordered_bits(inside);
    const double scaled = x * scale_ * rest_;
    auto steps = static_cast<std::int64_t>(scaled);  // towards zero; its floor is one less if:
    steps -= (static_cast<double>(steps) > scaled) | ((steps == 0) & (x < 0));
    return static_cast<std::uint64_t>(std::max(steps, first_) - first_);
  }

  // Grids of wide keys.
  Uint128 wide(Key128 key) const {
    const Key128 inside = std::clamp(key, wide_lower_, wide_upper_);
    return static_cast<Uint128>(int128(inside)) - static_cast<Uint128>(int128(wide_lower_));
  }

  // The offset of the upper bound.
  Uint128 width() const { return static_cast<Uint128>(int128(width_)); }

 private:
  // no member is aligned to more than 8 bytes: this may lie in server memory
  bool is_float_ = false;
  Key64 lower_ = 0;
  Key64 upper_ = 0;
  std::int64_t first_ = 0;  // floats: the lower bound in steps
  double scale_ = 1;        // floats: scale_ * rest_ steps are 1
  double rest_ = 1;
  Key128 wide_lower_{0, 0};
  Key128 wide_upper_{0, 0};
  Key128 width_{0, 0};  // its bits
};

}  // namespace idp
