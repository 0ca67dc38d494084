// Reviewed one by one: each gives a value, or NULL, for every value of its arguments, also those of
// a gigabyte. What it gives is short: texts of that length, several in a row, are more than a row
// may have. Beside these, all functions of the server that are leakproof are allowed, which says as
// much, but for the length: comparisons of numbers, dates, texts and the like.
//
// Not on the list: what can overflow or run out of its range (+, -, *, /, ^, date_trunc, casts from
// dates to timestamps and between time zones), what reads its argument (casts from text) and what
// makes texts of texts (lower, left, ||), which have total twins (total/twin_rows.h); and what
// makes much longer ones (repeat, replace; lpad has a length).
#include "extension/access/total_functions.h"

#include <algorithm>
#include <string_view>

extern "C" {
#include "catalog/pg_collation.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
}

namespace idp {

namespace {

constexpr Needs kNothing = Needs::kNothing;

struct TotalFunction {
  Oid function;
  Needs needs;
};

constexpr TotalFunction kTotal[] = {
    // numbers: comparisons
    {F_NUMERIC_EQ, kNothing},
    {F_NUMERIC_NE, kNothing},
    {F_NUMERIC_LT, kNothing},
    {F_NUMERIC_LE, kNothing},
    {F_NUMERIC_GT, kNothing},
    {F_NUMERIC_GE, kNothing},
    {F_NUMERIC_CMP, kNothing},
    // numbers: what cannot leave its range
    {F_ABS_NUMERIC, kNothing},
    {F_NUMERIC_ABS, kNothing},
    {F_NUMERIC_UMINUS, kNothing},
    {F_NUMERIC_UPLUS, kNothing},
    {F_SIGN_NUMERIC, kNothing},
    {F_TRIM_SCALE, kNothing},
    {F_ABS_FLOAT4, kNothing},
    {F_ABS_FLOAT8, kNothing},
    {F_FLOAT4ABS, kNothing},
    {F_FLOAT8ABS, kNothing},
    {F_NUMERIC_INT2, kNothing},
    {F_NUMERIC_INT4, kNothing},
    {F_NUMERIC_INT8, kNothing},
    {F_NUMERIC_FLOAT4, kNothing},
    {F_NUMERIC_FLOAT8, kNothing},
    {F_FLOAT4UM, kNothing},
    {F_FLOAT8UM, kNothing},
    {F_FLOAT4UP, kNothing},
    {F_FLOAT8UP, kNothing},
    {F_INT2UP, kNothing},
    {F_INT4UP, kNothing},
    {F_INT8UP, kNothing},
    {F_INT2AND, kNothing},
    {F_INT2OR, kNothing},
    {F_INT2XOR, kNothing},
    {F_INT2NOT, kNothing},
    {F_INT4AND, kNothing},
    {F_INT4OR, kNothing},
    {F_INT4XOR, kNothing},
    {F_INT4NOT, kNothing},
    {F_INT8AND, kNothing},
    {F_INT8OR, kNothing},
    {F_INT8XOR, kNothing},
    {F_INT8NOT, kNothing},
    {F_CEIL_FLOAT8, kNothing},
    {F_CEILING_FLOAT8, kNothing},
    {F_FLOOR_FLOAT8, kNothing},
    {F_ROUND_FLOAT8, kNothing},
    {F_TRUNC_FLOAT8, kNothing},
    {F_SIGN_FLOAT8, kNothing},
    {F_WIDTH_BUCKET_ANYCOMPATIBLE_ANYCOMPATIBLEARRAY, Needs::kThresholds},
    // texts
    {F_LENGTH_TEXT, kNothing},
    {F_LENGTH_BPCHAR, kNothing},
    {F_CHAR_LENGTH_TEXT, kNothing},
    {F_CHARACTER_LENGTH_TEXT, kNothing},
    {F_OCTET_LENGTH_TEXT, kNothing},
    {F_TEXTLIKE, Needs::kPattern},
    {F_TEXTNLIKE, Needs::kPattern},
    {F_LIKE_TEXT_TEXT, Needs::kPattern},
    {F_NOTLIKE_TEXT_TEXT, Needs::kPattern},
    {F_BPCHARLIKE, Needs::kPattern},
    {F_BPCHARNLIKE, Needs::kPattern},
    {F_LPAD_TEXT_INT4_TEXT, Needs::kShortLength},
    {F_RPAD_TEXT_INT4_TEXT, Needs::kShortLength},
    {F_TEXT_BOOL, kNothing},
    {F_TEXT_NAME, kNothing},
    {F_VARCHAR_NAME, kNothing},
    // dates and times
    {F_EXTRACT_TEXT_DATE, Needs::kDateField},
    {F_EXTRACT_TEXT_TIMESTAMP, Needs::kTimestampField},
    {F_DATE_PART_TEXT_TIMESTAMP, Needs::kTimestampField},
    {F_DATE_TIMESTAMP, kNothing},
    {F_ISFINITE_DATE, kNothing},
    {F_ISFINITE_TIMESTAMP, kNothing},
    {F_ISFINITE_TIMESTAMPTZ, kNothing},
    {F_DATE_EQ_TIMESTAMP, kNothing},
    {F_DATE_NE_TIMESTAMP, kNothing},
    {F_DATE_LT_TIMESTAMP, kNothing},
    {F_DATE_LE_TIMESTAMP, kNothing},
    {F_DATE_GT_TIMESTAMP, kNothing},
    {F_DATE_GE_TIMESTAMP, kNothing},
    {F_TIMESTAMP_EQ_DATE, kNothing},
    {F_TIMESTAMP_NE_DATE, kNothing},
    {F_TIMESTAMP_LT_DATE, kNothing},
    {F_TIMESTAMP_LE_DATE, kNothing},
    {F_TIMESTAMP_GT_DATE, kNothing},
    {F_TIMESTAMP_GE_DATE, kNothing},
    {F_DATE_EQ_TIMESTAMPTZ, kNothing},
    {F_TIMESTAMPTZ_EQ_DATE, kNothing},
    {F_TIMESTAMP_EQ_TIMESTAMPTZ, kNothing},
    {F_TIMESTAMPTZ_EQ_TIMESTAMP, kNothing},
    {F_DATE_NE_TIMESTAMPTZ, kNothing},
    {F_TIMESTAMPTZ_NE_DATE, kNothing},
    {F_TIMESTAMP_NE_TIMESTAMPTZ, kNothing},
    {F_TIMESTAMPTZ_NE_TIMESTAMP, kNothing},
    {F_DATE_LT_TIMESTAMPTZ, kNothing},
    {F_TIMESTAMPTZ_LT_DATE, kNothing},
    {F_TIMESTAMP_LT_TIMESTAMPTZ, kNothing},
    {F_TIMESTAMPTZ_LT_TIMESTAMP, kNothing},
    {F_DATE_LE_TIMESTAMPTZ, kNothing},
    {F_TIMESTAMPTZ_LE_DATE, kNothing},
    {F_TIMESTAMP_LE_TIMESTAMPTZ, kNothing},
    {F_TIMESTAMPTZ_LE_TIMESTAMP, kNothing},
    {F_DATE_GT_TIMESTAMPTZ, kNothing},
    {F_TIMESTAMPTZ_GT_DATE, kNothing},
    {F_TIMESTAMP_GT_TIMESTAMPTZ, kNothing},
    {F_TIMESTAMPTZ_GT_TIMESTAMP, kNothing},
    {F_DATE_GE_TIMESTAMPTZ, kNothing},
    {F_TIMESTAMPTZ_GE_DATE, kNothing},
    {F_TIMESTAMP_GE_TIMESTAMPTZ, kNothing},
    {F_TIMESTAMPTZ_GE_TIMESTAMP, kNothing},
    {F_OVERLAPS_TIME_TIME_TIME_TIME, kNothing},
    {F_OVERLAPS_TIMESTAMP_TIMESTAMP_TIMESTAMP_TIMESTAMP, kNothing},
    {F_OVERLAPS_TIMESTAMPTZ_TIMESTAMPTZ_TIMESTAMPTZ_TIMESTAMPTZ, kNothing},
    // enums, whose values were looked up beforehand (eager_opens.h)
    {F_ENUM_EQ, kNothing},
    {F_ENUM_NE, kNothing},
    {F_ENUM_LT, kNothing},
    {F_ENUM_LE, kNothing},
    {F_ENUM_GT, kNothing},
    {F_ENUM_GE, kNothing},
    {F_ENUM_CMP, kNothing},
    // documents
    {F_JSONB_EXISTS, kNothing},
    {F_JSONB_TYPEOF, kNothing},
    // the output of types that are cast to text
    {F_BOOLOUT, kNothing},
    {F_INT2OUT, kNothing},
    {F_INT4OUT, kNothing},
    {F_INT8OUT, kNothing},
    {F_FLOAT4OUT, kNothing},
    {F_FLOAT8OUT, kNothing},
    {F_NUMERIC_OUT, kNothing},
    {F_DATE_OUT, kNothing},
    {F_TIMESTAMP_OUT, kNothing},
    {F_UUID_OUT, kNothing},
    {F_ENUM_OUT, kNothing},
};

// Of these, what is leakproof fails for no value. Comparisons of circles and line segments are
// leakproof too, and overflow.
constexpr Oid kPlainTypes[] = {
    BOOLOID, CHAROID, NAMEOID,    TEXTOID,      BPCHAROID,      VARCHAROID,  BYTEAOID,
    INT2OID, INT4OID, INT8OID,    FLOAT4OID,    FLOAT8OID,      NUMERICOID,  MONEYOID,
    DATEOID, TIMEOID, TIMETZOID,  TIMESTAMPOID, TIMESTAMPTZOID, INTERVALOID, UUIDOID,
    INETOID, CIDROID, MACADDROID, MACADDR8OID,  BITOID,         VARBITOID,   OIDOID,
    TIDOID,  XIDOID,  XID8OID,    CIDOID,       PG_LSNOID,
};

constexpr std::string_view kDateFields[] = {"day",    "month",   "quarter",    "week",    "year",
                                            "decade", "century", "millennium", "isoyear", "dow",
                                            "isodow", "doy",     "epoch",      "julian"};
constexpr std::string_view kTimeFields[] = {"microseconds", "milliseconds", "second", "minute",
                                            "hour"};

bool takes_plain_types(Oid function) {
  Oid* types = nullptr;
  int count = 0;
  (void)get_func_signature(function, &types, &count);
  return std::all_of(types, types + count, [](Oid type) {
    return std::ranges::find(kPlainTypes, type) != std::end(kPlainTypes);
  });
}

// The server takes names of fields in any case.
template <std::size_t kCount>
bool is_among(std::string_view name, const std::string_view (&names)[kCount]) {
  for (const std::string_view& one : names) {
    if (name.size() == one.size() && pg_strncasecmp(name.data(), one.data(), one.size()) == 0) {
      return true;
    }
  }
  return false;
}

// The server calls itself for each % that finds a place, until the stack is used up.
constexpr int kMostWildcards = 16;

// A text of that many is short in any encoding.
constexpr int32 kMostCharacters = 100;

// A pattern must not end with the character that escapes the next one.
bool is_fit_pattern(std::string_view pattern) {
  bool escapes = false;
  for (const char c : pattern) escapes = !escapes && c == '\\';
  return !escapes && std::ranges::count(pattern, '%') <= kMostWildcards;
}

std::string_view text_at(Datum value) {
  text* detoasted = DatumGetTextPP(value);
  return {VARDATA_ANY(detoasted), static_cast<std::size_t>(VARSIZE_ANY_EXHDR(detoasted))};
}

// One of a few hundred states at most.
constexpr std::size_t kLongestRegex = 200;

// Without back references and constraints that look ahead or behind, which go over the text again
// for each of its places: only (?: is known, and letters of options that begin it, as (?i).
bool is_linear(std::string_view regex) {
  for (std::size_t i = 0; i + 1 < regex.size(); ++i) {
    if (regex[i] == '\\' && regex[i + 1] >= '1' && regex[i + 1] <= '9') return false;
    if (regex[i] == '\\') {
      ++i;
    } else if (regex[i] == '(' && regex[i + 1] == '?') {
      const char next = i + 2 < regex.size() ? regex[i + 2] : ' ';
      if (next != ':' && !(next >= 'a' && next <= 'z')) return false;
    }
  }
  return true;
}

// Reports the error of one that is none before a row is read.
void compile(Datum regex) {
  (void)DirectFunctionCall2Coll(textregexeq, C_COLLATION_OID, CStringGetTextDatum(""), regex);
}

bool is_fit_regex(Datum regex) {
  const std::string_view text = text_at(regex);
  if (text.size() > kLongestRegex || !is_linear(text)) return false;
  compile(regex);
  return true;
}

constexpr Oid kThresholdTypes[] = {INT2OID,    INT4OID, INT8OID, FLOAT4OID,    FLOAT8OID,
                                   NUMERICOID, DATEOID, TIMEOID, TIMESTAMPOID, TIMESTAMPTZOID};

bool are_fit_thresholds(Datum value) {
  const ArrayType* thresholds = DatumGetArrayTypeP(value);
  return ARR_NDIM(thresholds) <= 1 && !array_contains_nulls(const_cast<ArrayType*>(thresholds)) &&
         std::ranges::find(kThresholdTypes, ARR_ELEMTYPE(thresholds)) != std::end(kThresholdTypes);
}

}  // namespace

std::optional<Needs> needs_of(Oid function) {
  for (const TotalFunction& total : kTotal) {
    if (total.function == function) return total.needs;
  }
  const bool is_total = get_func_leakproof(function) && takes_plain_types(function) &&
                        get_typlen(get_func_rettype(function)) != -1;
  return is_total ? std::optional(Needs::kNothing) : std::nullopt;
}

bool is_fit(Needs needs, Datum value) {
  switch (needs) {
    case Needs::kNothing:
      return true;
    case Needs::kDateField:
      return is_among(text_at(value), kDateFields);
    case Needs::kTimestampField:
      return is_among(text_at(value), kDateFields) || is_among(text_at(value), kTimeFields);
    case Needs::kPattern:
      return is_fit_pattern(text_at(value));
    case Needs::kRegex:
      return is_fit_regex(value);
    case Needs::kThresholds:
      return are_fit_thresholds(value);
    case Needs::kShortLength:
      return DatumGetInt32(value) <= kMostCharacters;
  }
  return false;
}

int fitted_argument(Needs needs) {
  switch (needs) {
    case Needs::kNothing:
      return -1;
    case Needs::kDateField:
    case Needs::kTimestampField:
      return 0;
    case Needs::kPattern:
    case Needs::kRegex:
    case Needs::kThresholds:
    case Needs::kShortLength:
      return 1;
  }
  return -1;
}

}  // namespace idp
