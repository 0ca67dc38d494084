// The one C function of all total twins: calls the original, and gives NULL for its errors.
#include "extension/total/twins.h"
#include "extension/pg/attempt.h"
#include "extension/pg/sql_function.h"

extern "C" {
#include "access/detoast.h"
}

namespace idp {

namespace {

using twin_rows::Form;

// Kept from call to call of one expression.
struct Callee {
  FmgrInfo original;
  Form form;
};

Callee* prepare(FmgrInfo* twin) {
  const Original original = original_of(twin->fn_oid);
  auto* callee = static_cast<Callee*>(MemoryContextAlloc(twin->fn_mcxt, sizeof(Callee)));
  fmgr_info_cxt(original.function, &callee->original, twin->fn_mcxt);
  callee->form = original.form;
  twin->fn_extra = callee;
  return callee;
}

constexpr int kMostArguments = 6;

bool is_too_long(FunctionCallInfo fcinfo) {
  Size bytes = 0;
  for (int i = 0; i < PG_NARGS(); ++i) bytes += toast_raw_datum_size(PG_GETARG_DATUM(i)) - VARHDRSZ;
  return bytes > twin_rows::kLongestText;
}

Datum total(FunctionCallInfo fcinfo) {
  auto* callee = static_cast<Callee*>(fcinfo->flinfo->fn_extra);
  if (callee == nullptr) callee = prepare(fcinfo->flinfo);
  if (callee->form == Form::kConcatenation && is_too_long(fcinfo)) PG_RETURN_NULL();

  LOCAL_FCINFO(call, kMostArguments);
  InitFunctionCallInfoData(*call, &callee->original, 0, PG_GET_COLLATION(), nullptr, nullptr);
  if (callee->form == Form::kInput) {
    call->nargs = 3;
    call->args[0] = {CStringGetDatum(text_to_cstring(PG_GETARG_TEXT_PP(0))), false};
    call->args[1] = {ObjectIdGetDatum(InvalidOid), false};
    call->args[2] = {Int32GetDatum(-1), false};
  } else {
    call->nargs = static_cast<short>(PG_NARGS());
    Assert(PG_NARGS() <= kMostArguments);
    for (int i = 0; i < PG_NARGS(); ++i) call->args[i] = fcinfo->args[i];
  }
  Datum result = 0;
  if (!computes(call, &result)) PG_RETURN_NULL();
  fcinfo->isnull = call->isnull;
  return result;
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_total, total);

}  // extern "C"
#pragma GCC visibility pop
