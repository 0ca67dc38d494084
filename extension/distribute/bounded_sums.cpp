#include "extension/distribute/bounded_sums.h"

#include <algorithm>

#include "extension/pg/own_objects.h"
#include "extension/pg/sql_function.h"
#include "extension/types/quick_numeric.h"
#include "extension/types/types.h"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/builtins.h"
}

namespace idp {

namespace {

constexpr char kName[] = "bounded";

constexpr int64 kEach = int64{1} << 62;
constexpr int64 kMostRows = int64{1} << 40;
constexpr int64 kMostWidth = kEach / kMostRows;

// As the machine adds and subtracts, without overflow: what matters of it is within bigint.
int64 plus(int64 a, int64 b) {
  return static_cast<int64>(static_cast<uint64>(a) + static_cast<uint64>(b));
}
int64 minus(int64 a, int64 b) {
  return static_cast<int64>(static_cast<uint64>(a) - static_cast<uint64>(b));
}

}  // namespace

bool can_count(const RemoteSum& sum) {
  return static_cast<Uint128>(static_cast<Int128>(sum.upper) - sum.lower) <
         static_cast<Uint128>(kMostWidth);
}

char* bounded_sum(Relation table, const RemoteSum& sum, bool is_counting) {
  const auto* column = TupleDescAttr(RelationGetDescr(table), sum.column - 1);
  const int64 more = is_counting ? minus(kEach, sum.lower) : 0;
  const char* form = column->atttypid == NUMERICOID ? psprintf(", %d", column->atttypmod) : "";
  return psprintf("(pg_catalog.sum(idp.%s(%s, '" INT64_FORMAT "', '" INT64_FORMAT
                  "', '" INT64_FORMAT "'%s)))::text",
                  kName, quote_identifier(NameStr(column->attname)), sum.lower, sum.upper, more,
                  form);
}

// --- what comes ---

namespace {

Int128 number_of(const char* text) {
  const bool is_negative = *text == '-';
  Int128 number = 0;
  for (const char* at = text + (is_negative ? 1 : 0); *at != '\0'; ++at) {
    if (*at < '0' || *at > '9') elog(ERROR, "a sum is no whole number: %s", text);
    number = number * 10 + (*at - '0');
  }
  return is_negative ? -number : number;
}

}  // namespace

BoundedValues read_counting_sum(const RemoteSum& sum, const char* text, int64 rows) {
  if (rows > kMostRows || !can_count(sum)) {
    ereport(ERROR,
            (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
             errmsg("values of more than " INT64_FORMAT " rows cannot be added up", kMostRows)));
  }
  const Int128 all = text == nullptr ? 0 : number_of(text);
  const auto count = static_cast<int64>(all / kEach);
  if (all < 0 || count > rows) elog(ERROR, "a sum does not tell how many values it has");
  return {count, static_cast<Uint128>(all % kEach)};
}

BoundedValues read_sum(const RemoteSum& sum, const char* text, int64 count) {
  const Int128 all = text == nullptr ? 0 : number_of(text);
  const Int128 offsets = all - static_cast<Int128>(sum.lower) * count;
  if (offsets < 0) elog(ERROR, "a sum is too small");
  return {count, static_cast<Uint128>(offsets)};
}

bool is_bounding(Oid function) { return is_own_function(function, kName); }

// --- the function ---

namespace {

// None is strict: the executor looks longer whether any argument is NULL. The number of them is
// known when this is compiled.
pg_attribute_always_inline bool has_null(FunctionCallInfo fcinfo, int arguments) {
  bool has = false;
  for (int i = 0; i < arguments; ++i) has |= fcinfo->args[i].isnull;
  return has;
}

pg_attribute_always_inline Datum bounded(FunctionCallInfo fcinfo, int64 value) {
  const int64 inside = std::min(std::max(value, PG_GETARG_INT64(1)), PG_GETARG_INT64(2));
  PG_RETURN_INT64(plus(inside, PG_GETARG_INT64(3)));
}

Datum bounded_int2(FunctionCallInfo fcinfo) {
  if (has_null(fcinfo, 4)) PG_RETURN_NULL();
  return bounded(fcinfo, PG_GETARG_INT16(0));
}

Datum bounded_int4(FunctionCallInfo fcinfo) {
  if (has_null(fcinfo, 4)) PG_RETURN_NULL();
  return bounded(fcinfo, PG_GETARG_INT32(0));
}

Datum bounded_int8(FunctionCallInfo fcinfo) {
  if (has_null(fcinfo, 4)) PG_RETURN_NULL();
  return bounded(fcinfo, PG_GETARG_INT64(0));
}

// A type of numerics whose values fit in a word. A Column is no memory of the server's, which lies
// at multiples of eight bytes.
struct NumericForm {
  int32 typmod;
  Grid grid;
  int64 limit;
};

const NumericForm& form_of(FunctionCallInfo fcinfo, int32 typmod) {
  auto* form = static_cast<NumericForm*>(fcinfo->flinfo->fn_extra);
  if (form != nullptr && form->typmod == typmod) return *form;
  const Grid grid = grid_of(ValueType::kNumeric, typmod);
  if (grid.is_wide()) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("type modifier %d is not that of a numeric of up to %d digits", typmod,
                           Grid::kMaxNarrowPrecision)));
  }
  if (form == nullptr) {
    form =
        static_cast<NumericForm*>(MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(NumericForm)));
  }
  *form = {typmod, grid, static_cast<int64>(grid.max_units())};
  fcinfo->flinfo->fn_extra = form;
  return *form;
}

// In units of the last digit. NaN is NULL.
Datum bounded_numeric(FunctionCallInfo fcinfo) {
  if (has_null(fcinfo, 5)) PG_RETURN_NULL();
  const NumericForm& form = form_of(fcinfo, PG_GETARG_INT32(4));
  const Column column{form.grid, form.limit};
  Key64 key = 0;
  if (quick_key(column, PG_GETARG_DATUM(0), key)) return bounded(fcinfo, key);
  const auto found = narrow_numeric_key(column, PG_GETARG_DATUM(0), Rounding::kFloor);
  if (!found) PG_RETURN_NULL();
  return bounded(fcinfo, *found);
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_bounded_int2, bounded_int2);
IDP_FUNCTION(idp_bounded_int4, bounded_int4);
IDP_FUNCTION(idp_bounded_int8, bounded_int8);
IDP_FUNCTION(idp_bounded_numeric, bounded_numeric);

}  // extern "C"
#pragma GCC visibility pop
