#include "core/grid/offsets.h"

#include <cmath>

#include "core/grid/public_grid.h"

namespace idp {

mpz_class mpz_from_unsigned(Uint128 v) {
  mpz_class z(static_cast<unsigned long>(v >> 64));
  z <<= 64;
  z += static_cast<unsigned long>(v);
  return z;
}

Offsets::Offsets(const Grid& grid, Key128 lower, Key128 upper) {
  if (grid.is_wide()) {
    wide_lower_ = lower;
    wide_upper_ = upper;
    width_ = key128(static_cast<Int128>(wide(upper)));
    return;
  }
  lower_ = static_cast<Key64>(lower.low);
  upper_ = static_cast<Key64>(upper.low);
  if (grid.is_float()) {
    const PublicGrid<Key64> steps(grid, lower_, upper_);
    constexpr long kMost = 1023;  // 2^1024 is not a double
    const long exponent = -steps.step_exponent();
    is_float_ = true;
    first_ = steps.lower().get_si();
    scale_ = std::ldexp(1.0, static_cast<int>(std::min(exponent, kMost)));
    rest_ = std::ldexp(1.0, static_cast<int>(std::max(exponent - kMost, 0L)));
  }
  width_ = {0, narrow(upper_)};
}

}  // namespace idp
