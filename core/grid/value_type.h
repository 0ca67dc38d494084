// The types of columns, one row each: what is known of a type before a value of it is seen.
//
// A new one takes the next number and a row at the end, and the glue says how its values are read
// and written (extension/types/types.h). The numbers are stored in tables: none is ever used for
// another.
#pragma once

#include "core/no_postgres.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>

namespace idp {

enum class ValueType : std::uint8_t {
  kNone = 0,  // the aggregate has no column (a count of rows)
  kInt16 = 1,
  kInt32 = 2,
  kInt64 = 3,
  kFloat32 = 4,
  kFloat64 = 5,
  kNumeric = 6,
  kDate = 7,
  kTimestamp = 8,
  kTimestamptz = 9,
  kText = 10,  // only ever told apart, by 128 bits of hash: it has no units
  kUuid = 11,  // likewise, by its own 128 bits
};

// What can be done with values.
enum class ValueKind : std::uint8_t {
  kNone,
  kNumber,   // they can be added up
  kOrdered,  // they can be compared
  kOpaque,   // they can be told apart
};

// The range of the finite values, in units. PostgreSQL's own limits; the glue asserts that they
// are the server's.
inline constexpr std::int64_t kMinDate = -2451545;
inline constexpr std::int64_t kMaxDate = 2145031948;
inline constexpr std::int64_t kMinTimestamp = -211813488000000000;
inline constexpr std::int64_t kMaxTimestamp = 9223371331199999999;

struct ValueTypeRow {
  ValueType type = ValueType::kNone;
  const char* sql = "none";  // as SQL spells it
  const char* name = "";     // as the catalog does, and the names of final functions
  ValueKind kind = ValueKind::kNone;
  bool has_infinity = false;
  // The range of the finite values, in units, where it does not depend on a declaration.
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
  int steps = 1;  // in what a difference of two values counts as one: a day, a second
};

namespace value_type_rows {

using T = ValueType;
using K = ValueKind;
template <class Integer>
using Range = std::numeric_limits<Integer>;

// clang-format off
inline constexpr ValueTypeRow kRows[] = {
    {},
    {T::kInt16, "smallint", "int2", K::kNumber, false, Range<std::int16_t>::min(), Range<std::int16_t>::max()},
    {T::kInt32, "integer", "int4", K::kNumber, false, Range<std::int32_t>::min(), Range<std::int32_t>::max()},
    {T::kInt64, "bigint", "int8", K::kNumber, false},
    {T::kFloat32, "real", "float4", K::kNumber, true},
    {T::kFloat64, "double precision", "float8", K::kNumber, true},
    {T::kNumeric, "numeric", "numeric", K::kNumber, true},
    {T::kDate, "date", "date", K::kOrdered, true, kMinDate, kMaxDate},
    {T::kTimestamp, "timestamp without time zone", "timestamp", K::kOrdered, true, kMinTimestamp, kMaxTimestamp, 1000000},
    {T::kTimestamptz, "timestamp with time zone", "timestamptz", K::kOrdered, true, kMinTimestamp, kMaxTimestamp, 1000000},
    {T::kText, "text", "text", K::kOpaque, true},
    {T::kUuid, "uuid", "uuid", K::kOpaque, true},
};
// clang-format on

}  // namespace value_type_rows

inline constexpr int kValueTypes = std::size(value_type_rows::kRows);

// Of a number that no type has, which a damaged state may hold, it is the row of kNone.
constexpr const ValueTypeRow& row_of(ValueType type) {
  const auto i = static_cast<std::size_t>(type);
  return value_type_rows::kRows[i < kValueTypes ? i : 0];
}

// Whether values of the type can be added up.
constexpr bool is_number(ValueType type) { return row_of(type).kind == ValueKind::kNumber; }

// Whether they can be told apart, but not ordered or added. Asked once per row of a table, and so
// without a look at the row here.
constexpr bool is_opaque(ValueType type) {
  return type == ValueType::kText || type == ValueType::kUuid;
}

constexpr bool value_types_in_order() {
  for (int i = 0; i < kValueTypes; ++i) {
    const ValueTypeRow& row = value_type_rows::kRows[i];
    if (static_cast<int>(row.type) != i) return false;
    if ((row.kind == ValueKind::kOpaque) != is_opaque(row.type)) return false;
  }
  return true;
}
static_assert(value_types_in_order());

}  // namespace idp
