#include "extension/types/types.h"

#include <limits>

#include "core/collect/string_keys.h"

extern "C" {
#include "mb/pg_wchar.h"
}

namespace idp {

// The core cannot see the server's limits, so it states them; here they are held together.
static_assert(kMinDate == DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE);
static_assert(kMaxDate == static_cast<std::int64_t>(DATE_END_JULIAN) - POSTGRES_EPOCH_JDATE - 1);
static_assert(kMinTimestamp == MIN_TIMESTAMP);
static_assert(kMaxTimestamp == END_TIMESTAMP - 1);
static_assert(DATEVAL_NOBEGIN == std::numeric_limits<std::int32_t>::min());
static_assert(DATEVAL_NOEND == std::numeric_limits<std::int32_t>::max());
static_assert(DT_NOBEGIN == std::numeric_limits<std::int64_t>::min());
static_assert(DT_NOEND == std::numeric_limits<std::int64_t>::max());

ValueType value_type_of(Oid type) {
  switch (type) {
    case INT2OID:
      return ValueType::kInt16;
    case INT4OID:
      return ValueType::kInt32;
    case INT8OID:
      return ValueType::kInt64;
    case FLOAT4OID:
      return ValueType::kFloat32;
    case FLOAT8OID:
      return ValueType::kFloat64;
    case NUMERICOID:
      return ValueType::kNumeric;
    case DATEOID:
      return ValueType::kDate;
    case TIMESTAMPOID:
      return ValueType::kTimestamp;
    case TIMESTAMPTZOID:
      return ValueType::kTimestamptz;
    case TEXTOID:
      return ValueType::kText;
    case UUIDOID:
      return ValueType::kUuid;
    default:
      return ValueType::kNone;
  }
}

Grid grid_of(ValueType type, int32 typmod) {
  if (type != ValueType::kNumeric) return Grid{type};
  if (typmod < static_cast<int32>(VARHDRSZ)) return Grid::plain_numeric();
  const int precision = precision_of_typmod(typmod);
  return Grid::numeric(precision, scale_of_typmod(typmod));
}

const char* type_text(const Grid& grid) {
  const char* name = row_of(grid.type).sql;
  if (grid.type != ValueType::kNumeric || grid.precision == 0) return name;
  return psprintf("%s(%d,%d)", name, grid.precision, grid.scale);
}

Column Column::of(const Grid& grid) {
  Column column{grid, 0};
  if (grid.type == ValueType::kNumeric) column.limit = grid.max_units();
  return column;
}

namespace {

template <class Key>
std::optional<Key> key_of_numeric(const Column& column, Datum value, Rounding rounding) {
  const NumericUnits n = units_of_numeric(value, column.grid.scale, column.limit, rounding);
  switch (n.kind) {
    case NumericKind::kNaN:
      return std::nullopt;
    case NumericKind::kPositiveInfinity:
      return KeyLimits<Key>::kMax;
    case NumericKind::kNegativeInfinity:
      return KeyLimits<Key>::kMin;
    case NumericKind::kFinite:
      break;
  }
  if constexpr (std::is_same_v<Key, Key128>) {
    return key128(n.units);
  } else {
    return static_cast<Key64>(n.units);
  }
}

}  // namespace

std::optional<Key64> narrow_numeric_key(const Column& column, Datum value, Rounding rounding) {
  return key_of_numeric<Key64>(column, value, rounding);
}

bool wide_key(const Column& column, Datum value, Key128& key, Rounding rounding) {
  const std::optional<Key128> found = key_of_numeric<Key128>(column, value, rounding);
  if (found) key = *found;
  return found.has_value();
}

namespace {

// 128 bits of a value's hash, so that different values of a column practically never share one:
// among n of them some pair does with probability below n^2 / 2^129.
Key128 hash_key(PGFunction hash, Oid collation, Datum value) {
  const auto part = [&](std::uint64_t seed) {
    return DatumGetUInt64(DirectFunctionCall2Coll(hash, collation, value, UInt64GetDatum(seed)));
  };
  const std::uint64_t high = part(0x9e3779b97f4a7c15U);
  return {static_cast<std::int64_t>(high), part(0xc2b2ae3d27d4eb4fU)};
}

}  // namespace

bool identity_key(const Column& column, Datum value, Oid collation, Key128& key) {
  switch (column.grid.type) {
    case ValueType::kText:
      key = hash_key(hashtextextended, collation, value);
      return true;
    case ValueType::kUuid:
      memcpy(&key, DatumGetUUIDP(value)->data, sizeof key);
      return true;
    default:
      break;
  }
  // The server's hash of a numeric leaves out its sign and tells no infinity from the other.
  const NumericUnits n = units_of_numeric(value, 0, 1, Rounding::kFloor);
  if (n.kind == NumericKind::kNaN) return false;
  if (n.kind != NumericKind::kFinite) {
    key = n.kind == NumericKind::kPositiveInfinity ? Key128{1, 0} : Key128{-1, 0};
    return true;
  }
  key = hash_key(hash_numeric_extended, InvalidOid, value);
  if (n.units < 0) key = {~key.high, ~key.low};
  return true;
}

std::size_t keys_of_text(Datum value, Key128* keys) {
  const text* string = DatumGetTextPP(value);
  const char* bytes = VARDATA_ANY(string);
  const int length = static_cast<int>(VARSIZE_ANY_EXHDR(string));
  const int kept = pg_mbcliplen(bytes, length, static_cast<int>(kMostStringBytes));
  return string_keys({bytes, static_cast<std::size_t>(kept)}, keys);
}

namespace {

Datum numeric_datum(const Grid& grid, Int128 units) {
  const Datum value = numeric_of_units(units, grid.scale);
  // A declared scale is shown as declared; without one, trailing zeros say nothing.
  return grid.precision == 0 ? DirectFunctionCall1(numeric_trim_scale, value) : value;
}

}  // namespace

Datum datum_of_key(const Grid& grid, Key64 key) {
  switch (grid.type) {
    case ValueType::kInt16:
      return Int16GetDatum(static_cast<int16>(key));
    case ValueType::kInt32:
    case ValueType::kDate:
      return Int32GetDatum(static_cast<int32>(key));
    case ValueType::kFloat32:
      return Float4GetDatum(static_cast<float4>(from_ordered_bits(key)));
    case ValueType::kFloat64:
      return Float8GetDatum(from_ordered_bits(key));
    case ValueType::kNumeric: {
      const int sign = grid.infinity_sign(key);
      return sign != 0 ? numeric_infinity(sign) : numeric_datum(grid, key);
    }
    default:
      return Int64GetDatum(key);
  }
}

Datum datum_of_key(const Grid& grid, Key128 key) {
  if (grid.type == ValueType::kUuid) {
    auto* uuid = static_cast<pg_uuid_t*>(palloc(sizeof(pg_uuid_t)));
    memcpy(uuid->data, &key, sizeof uuid->data);
    return UUIDPGetDatum(uuid);
  }
  const int sign = grid.infinity_sign(key);
  return sign != 0 ? numeric_infinity(sign) : numeric_datum(grid, int128(key));
}

}  // namespace idp
