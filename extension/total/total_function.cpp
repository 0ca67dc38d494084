// idp.total(): calls the original of a total twin, and gives NULL for its errors.
#include "extension/total/twins.h"
#include "extension/pg/attempt.h"
#include "extension/pg/sql_function.h"

extern "C" {
#include "access/detoast.h"
}

namespace idp {

namespace {

using twin_rows::Form;
using twin_rows::kMostArguments;

// Kept from call to call of one expression.
struct Callee {
  PGFunction direct;  // computes the same itself; null: function is called
  FmgrInfo function;
  bool reads_text;
  int arguments;
  uint32 varying;      // a bit for each argument whose values vary in length
  bool gives_varying;  // likewise, for what it gives
  bool has_numbers;    // whether numbers are among these arguments
  bool searches;       // whether it compares all of one with all of another
};

[[noreturn]] void refuse_call() {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("function idp.total cannot be called by a query"),
                  errdetail("It takes the place of functions of the server in plans of private "
                            "aggregates that read hidden rows."),
                  errhint("Call the function itself.")));
  pg_unreachable();
}

// Of the types that originals take and give: twin_rows.h.
bool varies_in_length(Oid type) {
  return type == TEXTOID || type == VARCHAROID || type == BPCHAROID || type == NUMERICOID ||
         type == JSONBOID;
}

Callee* prepare(FmgrInfo* call) {
  const std::optional<Twin> twin = described_twin(call->fn_expr);
  if (!twin) refuse_call();
  const twin_rows::Row& row = *twin->row;
  auto* callee = static_cast<Callee*>(MemoryContextAllocZero(call->fn_mcxt, sizeof(Callee)));
  callee->direct = direct_twin(row.original);
  fmgr_info_cxt(twin->function, &callee->function, call->fn_mcxt);
  callee->reads_text = row.form == Form::kInput;
  callee->arguments = list_length(twin->arguments);
  for (int i = 0; i < callee->arguments; ++i) {
    if (varies_in_length(row.arguments[i])) callee->varying |= uint32{1} << i;
    callee->has_numbers |= row.arguments[i] == NUMERICOID;
  }
  callee->gives_varying = varies_in_length(row.result);
  const bool is_joined = strcmp(row.original, "textcat") == 0;
  callee->searches = row.form == Form::kCall && !is_joined;
  call->fn_extra = callee;
  return callee;
}

// Without fetching what is stored elsewhere.
Size length(Datum value) { return toast_raw_datum_size(value) - VARHDRSZ; }

bool varies(const Callee& callee, int argument) {
  return (callee.varying & (uint32{1} << argument)) != 0;
}

bool takes_too_much(const Callee& callee, FunctionCallInfo fcinfo) {
  if (callee.varying == 0) return false;
  Size bytes = 0;
  Size pairs = 0;
  for (int i = 0; i < callee.arguments; ++i) {
    if (!varies(callee, i)) continue;
    const Size longer = length(PG_GETARG_DATUM(kTwinConstants + i));
    pairs += bytes * longer;
    bytes += longer;
  }
  const Size longest = callee.has_numbers ? twin_rows::kLongestNumber : twin_rows::kLongest;
  return bytes > longest || (callee.searches && pairs > twin_rows::kMostPairs);
}

// Fetched by now: an error of that is one of the storage, and would leave a table open.
NullableDatum argument(const Callee& callee, FunctionCallInfo fcinfo, int i) {
  const NullableDatum& value = fcinfo->args[kTwinConstants + i];
  if (!varies(callee, i)) return value;
  return {PointerGetDatum(PG_DETOAST_DATUM_PACKED(value.value)), false};
}

Datum total(FunctionCallInfo fcinfo) {
  auto* known = static_cast<Callee*>(fcinfo->flinfo->fn_extra);
  Callee& callee = known != nullptr ? *known : *prepare(fcinfo->flinfo);
  if (callee.direct != nullptr) return callee.direct(fcinfo);
  if (takes_too_much(callee, fcinfo)) PG_RETURN_NULL();
  CHECK_FOR_INTERRUPTS();  // none is heard while the original computes

  LOCAL_FCINFO(call, kMostArguments);
  InitFunctionCallInfoData(*call, &callee.function, 0, PG_GET_COLLATION(), nullptr, nullptr);
  if (callee.reads_text) {
    const Datum words = argument(callee, fcinfo, 0).value;
    call->nargs = 3;
    call->args[0] = {CStringGetDatum(TextDatumGetCString(words)), false};
    call->args[1] = {ObjectIdGetDatum(InvalidOid), false};
    call->args[2] = {Int32GetDatum(-1), false};
  } else {
    call->nargs = static_cast<short>(callee.arguments);
    for (int i = 0; i < callee.arguments; ++i) call->args[i] = argument(callee, fcinfo, i);
  }
  Datum result = 0;
  if (!computes(call, &result)) PG_RETURN_NULL();
  fcinfo->isnull = call->isnull || (callee.gives_varying && length(result) > twin_rows::kLongest);
  return result;
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_total, total);

}  // extern "C"
#pragma GCC visibility pop
