#include "core/grid/grid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace idp {

namespace {

constexpr Key64 kNegativeZero = -1;  // the one bit pattern ordered_bits() never returns
constexpr double kFloat32Max = std::numeric_limits<float>::max();

constexpr long kFloat32StepExponent = -149;  // of the smallest float

static_assert(std::is_same_v<mp_limb_t, std::uint64_t> && GMP_NAIL_BITS == 0,
              "GMP's numbers are read as 64-bit words");

constexpr std::int64_t kInt32Min = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();

// the largest magnitude a wide key holds: the outermost keys are the infinities
constexpr Int128 kWideLimit = int128(KeyLimits<Key128>::kMax) - 1;

}  // namespace

mpz_class mpz_from(Int128 v) {
  const Key128 k = key128(v);
  mpz_class z(static_cast<long>(k.high));
  z <<= 64;
  z += static_cast<unsigned long>(k.low);
  return z;
}

Key128 key128(const mpz_class& v) {
  if (v.fits_slong_p()) return key128(Int128{v.get_si()});
  const mpz_class high = v >> 64;  // floor
  return {high.get_si(), mpz_class(v - (high << 64)).get_ui()};
}

Grid Grid::numeric(int precision, int scale) {
  const auto grid = [](int digits, int fraction_digits) {
    return Grid{ValueType::kNumeric, static_cast<std::int16_t>(digits),
                static_cast<std::int16_t>(fraction_digits)};
  };
  if (precision <= kMaxPrecision) return grid(precision, scale);
  const int room = kMaxPrecision - (precision - scale);  // beside all the integer digits
  return grid(kMaxPrecision, std::min(scale, std::max(room, kPlainNumericScale)));
}

Grid Grid::plain_numeric() { return {ValueType::kNumeric, 0, kPlainNumericScale}; }

bool Grid::has_infinity() const { return row_of(type).has_infinity; }

template <class Key>
Key Grid::infinity(int sign) const {
  if constexpr (std::is_same_v<Key, Key64>) {
    switch (type) {
      case ValueType::kFloat32:
      case ValueType::kFloat64:
        return ordered_bits(sign * std::numeric_limits<double>::infinity());
      case ValueType::kDate:
        return sign > 0 ? kInt32Max : kInt32Min;
      default:
        break;
    }
  }
  return sign > 0 ? KeyLimits<Key>::kMax : KeyLimits<Key>::kMin;
}

template <class Key>
int Grid::infinity_sign(Key key) const {
  if (!has_infinity()) return 0;
  if (key == infinity<Key>(1)) return 1;
  return key == infinity<Key>(-1) ? -1 : 0;
}

template <class Key>
bool Grid::admits(Key key) const {
  if (is_wide() != std::is_same_v<Key, Key128>) return false;
  if (infinity_sign(key) != 0) return true;
  if constexpr (std::is_same_v<Key, Key64>) {
    if (is_float()) {
      if (key == kNegativeZero || key < infinity<Key>(-1) || key > infinity<Key>(1)) return false;
      const double x = from_ordered_bits(key);
      return type == ValueType::kFloat64 ||
             (std::abs(x) <= kFloat32Max && static_cast<double>(static_cast<float>(x)) == x);
    }
  }
  Int128 value;
  if constexpr (std::is_same_v<Key, Key128>) {
    value = int128(key);
  } else {
    value = key;
  }
  return value >= min_units() && value <= max_units();
}

template <class Key>
mpz_class Grid::units(Key key) const {
  if constexpr (std::is_same_v<Key, Key128>) {
    return mpz_from(int128(key));
  } else {
    if (!is_float()) return mpz_class(static_cast<long>(key));
    // x = mantissa * 2^exponent with a mantissa of 53 bits; below the normal range frexp's
    // mantissa has fewer, and the shift is never negative.
    int exponent = 0;
    const double fraction = std::frexp(from_ordered_bits(key), &exponent);
    mpz_class v(static_cast<long>(std::ldexp(fraction, 53)));
    const int shift = exponent - 53 - kFloatStepExponent;
    if (shift >= 0) {
      v <<= static_cast<unsigned long>(shift);
    } else {
      v >>= static_cast<unsigned long>(-shift);  // exact: the dropped bits are zeros
    }
    return v;
  }
}

Int128 Grid::max_units() const {
  if (type != ValueType::kNumeric) return row_of(type).greatest;
  if (precision == 0) return kWideLimit;
  Int128 limit = 1;
  for (int i = 0; i < precision; ++i) limit *= 10;
  return limit - 1;
}

Int128 Grid::min_units() const {
  return type == ValueType::kNumeric ? -max_units() : row_of(type).least;
}

template <class Key>
Key Grid::nearest(Int128 units) const {
  const Int128 v = std::clamp(units, min_units(), max_units());
  if constexpr (std::is_same_v<Key, Key128>) {
    return key128(v);
  } else {
    return static_cast<Key64>(v);
  }
}

template <class Key>
Key Grid::nearest(const mpz_class& units) const {
  const mpz_class v = std::clamp(units, mpz_from(min_units()), mpz_from(max_units()));
  return nearest<Key>(int128(key128(v)));
}

double nearest_float(bool negative, std::span<const std::uint64_t> magnitude, long exponent,
                     ValueType type) {
  while (!magnitude.empty() && magnitude.back() == 0)
    magnitude = magnitude.first(magnitude.size() - 1);
  if (magnitude.empty()) return 0;
  // The first 64 bits from the highest one, with the last of them set if anything follows: the
  // magnitude is between top and top + 1 times 2^exponent, and no tie is made or broken, because
  // the last bit is always below the one that decides.
  std::uint64_t top = magnitude.back();
  const int zeros = std::countl_zero(top);
  const std::size_t below = magnitude.size() - 1;
  exponent += 64 * static_cast<long>(below) - zeros;
  top <<= zeros;
  bool more = false;
  if (below > 0 && zeros > 0) top |= magnitude[below - 1] >> (64 - zeros);
  if (below > 0) more = magnitude[below - 1] << zeros != 0;
  for (std::size_t i = 0; i + 1 < below && !more; ++i) more = magnitude[i] != 0;
  top |= more;

  const bool single = type == ValueType::kFloat32;
  const long digits =
      single ? std::numeric_limits<float>::digits : std::numeric_limits<double>::digits;
  const long least = single ? kFloat32StepExponent : kFloatStepExponent;
  const double limit = single ? kFloat32Max : std::numeric_limits<double>::max();
  const double sign = negative ? -1 : 1;
  if (exponent > std::numeric_limits<double>::max_exponent) return sign * limit;
  // The result is a multiple of 2^last, at least 11 bits of top above its end.
  const long last = std::max(exponent + 64 - digits, least);
  const long dropped = last - exponent;
  if (dropped > 64) return sign * 0.0;  // less than half of the least one
  std::uint64_t kept = dropped == 64 ? 0 : top >> dropped;
  const std::uint64_t rest = top << (64 - dropped);
  constexpr std::uint64_t kTie = std::uint64_t{1} << 63;
  kept += rest > kTie || (rest == kTie && kept % 2 == 1);
  // at most 2^53, and of a multiple of the smallest double: both steps are exact unless it is
  // beyond
  const double x = std::ldexp(static_cast<double>(kept), static_cast<int>(last));
  return sign * std::min(x, limit);
}

double nearest_float(const mpz_class& mantissa, long exponent, ValueType type) {
  const mpz_srcptr z = mantissa.get_mpz_t();
  return nearest_float(sgn(mantissa) < 0, {mpz_limbs_read(z), mpz_size(z)}, exponent, type);
}

template bool Grid::admits(Key64) const;
template bool Grid::admits(Key128) const;
template int Grid::infinity_sign(Key64) const;
template int Grid::infinity_sign(Key128) const;
template Key64 Grid::infinity<Key64>(int) const;
template Key128 Grid::infinity<Key128>(int) const;
template mpz_class Grid::units(Key64) const;
template mpz_class Grid::units(Key128) const;
template Key64 Grid::nearest<Key64>(Int128) const;
template Key128 Grid::nearest<Key128>(Int128) const;
template Key64 Grid::nearest<Key64>(const mpz_class&) const;
template Key128 Grid::nearest<Key128>(const mpz_class&) const;

}  // namespace idp
