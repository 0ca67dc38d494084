#include "core/grid/grid.h"

#include <mpfr.h>

#include <algorithm>
#include <cmath>

namespace idp {

namespace {

constexpr Key64 kNegativeZero = -1;  // the one bit pattern ordered_bits() never returns
constexpr double kFloat32Max = std::numeric_limits<float>::max();

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

bool Grid::has_infinity() const {
  switch (type) {
    case ValueType::kNone:
    case ValueType::kInt16:
    case ValueType::kInt32:
    case ValueType::kInt64:
      return false;
    default:
      return true;
  }
}

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
  switch (type) {
    case ValueType::kInt16:
      return std::numeric_limits<std::int16_t>::max();
    case ValueType::kInt32:
      return std::numeric_limits<std::int32_t>::max();
    case ValueType::kDate:
      return kMaxDate;
    case ValueType::kTimestamp:
    case ValueType::kTimestamptz:
      return kMaxTimestamp;
    case ValueType::kNumeric: {
      if (precision == 0) return kWideLimit;
      Int128 limit = 1;
      for (int i = 0; i < precision; ++i) limit *= 10;
      return limit - 1;
    }
    default:
      return std::numeric_limits<std::int64_t>::max();
  }
}

Int128 Grid::min_units() const {
  switch (type) {
    case ValueType::kDate:
      return kMinDate;
    case ValueType::kTimestamp:
    case ValueType::kTimestamptz:
      return kMinTimestamp;
    case ValueType::kNumeric:
      return -max_units();
    default:
      return -max_units() - 1;
  }
}

template <class Key>
Key Grid::nearest(const mpz_class& units) const {
  const mpz_class v = std::clamp(units, mpz_from(min_units()), mpz_from(max_units()));
  if constexpr (std::is_same_v<Key, Key128>) {
    return key128(v);
  } else {
    return v.get_si();
  }
}

double nearest_float(const mpz_class& mantissa, long exponent, ValueType type) {
  if (mantissa == 0) return 0;
  // Exact in MPFR, then rounded once, also below the normal range. Its exponents have ample range.
  mpfr_t exact;
  mpfr_init2(exact, std::max<mpfr_prec_t>(MPFR_PREC_MIN, static_cast<mpfr_prec_t>(mpz_sizeinbase(
                                                             mantissa.get_mpz_t(), 2))));
  mpfr_set_z_2exp(exact, mantissa.get_mpz_t(), exponent, MPFR_RNDN);
  const bool single = type == ValueType::kFloat32;
  const double x =
      single ? static_cast<double>(mpfr_get_flt(exact, MPFR_RNDN)) : mpfr_get_d(exact, MPFR_RNDN);
  mpfr_clear(exact);
  const double limit = single ? kFloat32Max : std::numeric_limits<double>::max();
  return std::clamp(x, -limit, limit);
}

template bool Grid::admits(Key64) const;
template bool Grid::admits(Key128) const;
template int Grid::infinity_sign(Key64) const;
template int Grid::infinity_sign(Key128) const;
template Key64 Grid::infinity<Key64>(int) const;
template Key128 Grid::infinity<Key128>(int) const;
template mpz_class Grid::units(Key64) const;
template mpz_class Grid::units(Key128) const;
template Key64 Grid::nearest<Key64>(const mpz_class&) const;
template Key128 Grid::nearest<Key128>(const mpz_class&) const;

}  // namespace idp
