// The SQL functions that tell the margin of an answer (core/aggregate/margin.h). Nothing is read of
// the answer but whether it is NULL.
#include "extension/pg/pg.h"

#include <optional>

#include "core/aggregate/margin.h"
#include "extension/budget/account.h"
#include "extension/call/call.h"
#include "extension/call/functions.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/guard.h"
#include "extension/pg/sql_function.h"
#include "extension/rewrite/margins.h"
#include "extension/pg/own_objects.h"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/syscache.h"
}

namespace idp {

namespace {

// Of idp.margin_of.
enum { kAnswer, kConfidence, kMoved, kAggregate, kTables, kTypmod, kArguments };

// An aggregate of the extension that is called with these arguments, as they are.
bool is_call_of(Oid aggregate, FunctionCallInfo fcinfo) {
  if (!SearchSysCacheExists1(AGGFNOID, ObjectIdGetDatum(aggregate))) return false;
  if (!is_own_function(aggregate)) return false;
  const int count = function_argument_count(aggregate);
  if (count != PG_NARGS() - kArguments || count > kMaxArguments) return false;
  for (int i = 0; i < count; ++i) {
    const Oid type = get_fn_expr_argtype(fcinfo->flinfo, kArguments + i);
    if (getBaseType(type) != getBaseType(function_argument_type(aggregate, i))) return false;
  }
  return true;
}

// With those of the parts that have any of their own.
Neighbours neighbours_in(Datum array) {
  ArrayType* tables = DatumGetArrayTypeP(array);
  const auto* numbers = reinterpret_cast<const Oid*>(ARR_DATA_PTR(tables));
  const int count = ArrayGetNItems(ARR_NDIM(tables), ARR_DIMS(tables));
  List* all = NIL;
  for (int i = 0; i < count; ++i) {
    List* parts = find_all_inheritors(numbers[i], NoLock, nullptr);
    all = list_concat_unique_oid(all, parts);
  }
  return neighbours_of(accounts_of_all(all));
}

struct Asked {
  Call call;
  Request request;
};

std::optional<Asked> read_call(FunctionCallInfo fcinfo) {
  const Oid aggregate = PG_GETARG_OID(kAggregate);
  if (!is_call_of(aggregate, fcinfo)) return std::nullopt;
  const Oid transition = transition_function_of(aggregate);
  FmgrInfo function;
  fmgr_info(transition, &function);
  const Statistic statistic = statistic_of(function.fn_addr);
  if (statistic == Statistic::kNone || is_named(transition)) return std::nullopt;
  Oid types[kMaxArguments];
  const int count = PG_NARGS() - kArguments;
  for (int i = 0; i < count; ++i) types[i] = function_argument_type(aggregate, i);
  Asked asked;
  asked.call = describe_call(statistic, transition, {types, static_cast<std::size_t>(count)},
                             PG_GETARG_INT32(kTypmod));
  asked.request = read_request(asked.call, &fcinfo->args[kArguments + asked.call.column_arguments]);
  return asked;
}

// Where the query does not say what digits the values have (rewrite/margins.cpp), noise may come in
// steps coarser than those of the type: half of the doubt is for these, as Pr[|N| > t] <= 2
// exp(-rate t) whatever the steps are.
bool has_unknown_steps(const Asked& asked, FunctionCallInfo fcinfo) {
  return asked.call.column.grid.type == ValueType::kNumeric && PG_GETARG_INT32(kTypmod) < 0;
}

std::optional<double> margin_in(FunctionCallInfo fcinfo) {
  const double confidence = PG_GETARG_FLOAT8(kConfidence);
  require_confidence(confidence);
  const std::optional<Asked> asked = read_call(fcinfo);
  if (!asked) return std::nullopt;
  const double moved = PG_GETARG_FLOAT8(kMoved);
  if (!(moved >= 0 && moved < 1e300)) return std::nullopt;
  const Neighbours neighbours = neighbours_in(PG_GETARG_DATUM(kTables));
  std::optional<double> margin;
  guarded([&] {
    mpq_class doubt = 1 - mpq_class(confidence);
    if (has_unknown_steps(*asked, fcinfo)) doubt /= 2;
    const auto known =
        margin_of(asked->request.spec, asked->request.epsilon_span(), neighbours, doubt);
    if (known) margin = double_above(*known + moved);
  });
  return margin;
}

struct Known {
  double confidence;
  bool is_known;
  double margin;
};

// (answer, confidence, moved, aggregate, tables, typmod, VARIADIC arguments)
Datum known_margin(FunctionCallInfo fcinfo) {
  for (int i = kConfidence; i < kArguments; ++i) {
    if (PG_ARGISNULL(i)) PG_RETURN_NULL();
  }
  const double confidence = PG_GETARG_FLOAT8(kConfidence);
  auto* known = static_cast<Known*>(fcinfo->flinfo->fn_extra);
  if (known == nullptr || known->confidence != confidence) {  // mostly the same for all rows
    const std::optional<double> margin = margin_in(fcinfo);
    if (known == nullptr) {
      known = static_cast<Known*>(MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(Known)));
      fcinfo->flinfo->fn_extra = known;
    }
    *known = {confidence, margin.has_value(), margin.value_or(0)};
  }
  if (PG_ARGISNULL(kAnswer) || !known->is_known) PG_RETURN_NULL();
  PG_RETURN_FLOAT8(known->margin);
}

// Of what is no private answer of its SELECT nothing is known.
Datum unknown_margin(FunctionCallInfo fcinfo) { PG_RETURN_NULL(); }

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_margin, unknown_margin);
IDP_FUNCTION(idp_margin_of, known_margin);

}  // extern "C"
#pragma GCC visibility pop
