// numeric ↔ multiples of 10^-scale in 128 bits.
#pragma once

#include "extension/pg/pg.h"

#include "core/grid/grid.h"

namespace idp {

enum class NumericKind { kFinite, kNaN, kPositiveInfinity, kNegativeInfinity };

enum class Rounding { kFloor, kCeiling };

struct NumericUnits {
  NumericKind kind;
  Int128 units;
  bool exact;  // finite: whether nothing was rounded; says nothing of a value that saturated
};

// The value as a multiple of 10^-scale, rounded as told, saturating at ±limit (limit >= 0).
// Reads the digits where they lie: no allocation unless the value is out of line or compressed.
NumericUnits units_of_numeric(Datum value, int scale, Int128 limit, Rounding rounding);

// Whether it is neither NaN nor infinite.
bool is_finite_numeric(Datum value);

// How many digits after the point a numeric is written with; it is finite.
int scale_of_numeric(Datum value);

// The s of numeric(p, s), whose typmod has 11 bits for it, signed from PostgreSQL 15 on and never
// above 1000 before. The typmod is one: VARHDRSZ or more.
int scale_of_typmod(int32 typmod);

// The p of it.
int precision_of_typmod(int32 typmod);

// The numeric of kind kFinite with that many units, or an infinity.
Datum numeric_of_units(Int128 units, int scale);
Datum numeric_infinity(int sign);

}  // namespace idp
