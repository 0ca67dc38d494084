// SQL values ↔ grid keys, for every type of column.
#pragma once

#include "extension/pg/pg.h"

#include <optional>

#include "core/grid/grid.h"
#include "extension/types/numeric_grid.h"

namespace idp {

// kNone for a type no aggregate takes.
ValueType value_type_of(Oid type);

// The grid of a column of that type and typmod. Public: it follows from the declaration alone.
Grid grid_of(ValueType type, int32 typmod);

// The type whose columns have that grid, as SQL names it.
const char* type_text(const Grid& grid);

// A grid with what is needed to put values on it quickly.
struct Column {
  Grid grid;
  Int128 limit = 0;  // numeric: the largest magnitude the grid holds

  static Column of(const Grid& grid);
};

// The key of a value, by floor (bounds may ask for the ceiling). False for NaN, which has none.
// Inline: called once per row.
bool wide_key(const Column& column, Datum value, Key128& key, Rounding rounding = Rounding::kFloor);
std::optional<Key64> narrow_numeric_key(const Column& column, Datum value, Rounding rounding);

pg_attribute_always_inline bool narrow_key(const Column& column, Datum value, Key64& key,
                                           Rounding rounding = Rounding::kFloor) {
  switch (column.grid.type) {
    case ValueType::kInt16:
      key = DatumGetInt16(value);
      return true;
    case ValueType::kInt32:
    case ValueType::kDate:
      key = DatumGetInt32(value);
      return true;
    case ValueType::kInt64:
    case ValueType::kTimestamp:
    case ValueType::kTimestamptz:
      key = DatumGetInt64(value);
      return true;
    case ValueType::kFloat32: {
      const double x = static_cast<double>(DatumGetFloat4(value));
      key = ordered_bits(x);
      return x == x;
    }
    case ValueType::kFloat64: {
      const double x = DatumGetFloat8(value);
      key = ordered_bits(x);
      return x == x;
    }
    case ValueType::kNumeric: {
      // by value: a key whose address is given away would not stay in a register for other types
      const std::optional<Key64> found = narrow_numeric_key(column, value, rounding);
      key = found.value_or(0);
      return found.has_value();
    }
    case ValueType::kNone:
    case ValueType::kText:
    case ValueType::kUuid:
      break;
  }
  return false;
}

// The same for a column whose values are their own keys, or nearly: neither wide nor numeric. What
// calls nothing else needs no stack.
inline bool is_plain(const Grid& grid) {
  return !grid.is_wide() && grid.type != ValueType::kNumeric;
}
pg_attribute_always_inline bool plain_key(const Column& column, Datum value, Key64& key) {
  if (column.grid.type == ValueType::kNumeric) __builtin_unreachable();
  return narrow_key(column, value, key);
}

// What tells values of a wide grid apart: equal values have equal keys, and others practically
// never (uuid: never). False for NaN.
bool identity_key(const Column& column, Datum value, Oid collation, Key128& key);

// The keys of a string, cut off behind the last character within kMostStringBytes; room for
// kMostStringKeys. Returns how many.
std::size_t keys_of_text(Datum value, Key128* keys);

// The SQL value of a key.
Datum datum_of_key(const Grid& grid, Key64 key);
Datum datum_of_key(const Grid& grid, Key128 key);

}  // namespace idp
