// The value grids: which numbers a column of each type can hold, as integers.
//
// Noise is only ever added to integers (privacy model, section 3), so every type has a smallest
// step, and a value is a whole number of steps ("units"):
//
//   smallint, integer, bigint   step 1
//   date                        step one day
//   timestamp, timestamptz      step one microsecond
//   numeric(p, s)               step 10^-s
//   numeric without (p, s)      step 10^-16
//   real, double precision      step 2^-1074, the smallest double: every double is on it exactly.
//                               The mechanism coarsens this grid to suit the noise.
//
// A Grid is public: it follows from the declared type alone.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstdint>
#include <span>

#include "core/grid/key.h"
#include "core/grid/value_type.h"

namespace idp {

// exponent of the step of the float grid: 2^-1074 is the smallest positive double
inline constexpr int kFloatStepExponent = -1074;

struct Grid {
  ValueType type = ValueType::kNone;
  std::int16_t precision = 0;  // numeric: total digits on the grid, 0 if not declared
  std::int16_t scale = 0;      // numeric: a unit is 10^-scale; may be negative

  // The grid of numeric(precision, scale). 128 bits hold 38 digits. A longer declaration first
  // gives up fraction digits beyond the 16th; if that is not enough, values that need more than 38
  // digits are clamped.
  static Grid numeric(int precision, int scale);
  // The grid of a numeric column whose declaration names no scale.
  static Grid plain_numeric();

  bool is_float() const { return type == ValueType::kFloat32 || type == ValueType::kFloat64; }
  // whether values are held as Key128
  bool is_wide() const {
    return (type == ValueType::kNumeric && (precision == 0 || precision > kMaxNarrowPrecision)) ||
           is_opaque();
  }
  bool is_opaque() const { return idp::is_opaque(type); }

  static constexpr int kMaxPrecision = 38;
  static constexpr int kMaxNarrowPrecision = 18;
  static constexpr int kPlainNumericScale = 16;

  // -1, 0 or +1: infinities of float, numeric, date and timestamp lie beyond every finite key.
  template <class Key>
  int infinity_sign(Key key) const;
  // the key of the infinity of that sign; only for types that have one
  template <class Key>
  Key infinity(int sign) const;
  bool has_infinity() const;

  // whether a key can stand for a value of this type at all
  template <class Key>
  bool admits(Key key) const;

  // The value in units. The key must be finite.
  template <class Key>
  mpz_class units(Key key) const;

  // The value of this type nearest to that many units: saturates at the ends of the type's finite
  // range. Not for floats, whose values are not all whole multiples of a common step in range:
  // they use nearest_float().
  template <class Key>
  Key nearest(Int128 units) const;
  template <class Key>
  Key nearest(const mpz_class& units) const;

  // The ends of the finite range, in units. Not for floats.
  Int128 min_units() const;
  Int128 max_units() const;

  friend bool operator==(const Grid&, const Grid&) = default;
};

// The value of the type nearest to mantissa * 2^exponent, ties to even; saturates at the largest
// finite one.
double nearest_float(const mpz_class& mantissa, long exponent, ValueType type);
// The same; the mantissa by its sign and the words of its magnitude, the least significant first.
double nearest_float(bool negative, std::span<const std::uint64_t> magnitude, long exponent,
                     ValueType type);

mpz_class mpz_from(Int128 v);
// its inverse; v must fit
Key128 key128(const mpz_class& v);

}  // namespace idp
