// The one C function of all total twins but plain arithmetic: calls the original, and gives NULL for
// its errors.
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
  FmgrInfo function;
  Original original;
};

Callee* prepare(FmgrInfo* twin) {
  auto* callee = static_cast<Callee*>(MemoryContextAlloc(twin->fn_mcxt, sizeof(Callee)));
  callee->original = noted_original(twin->fn_oid);
  fmgr_info_cxt(callee->original.function, &callee->function, twin->fn_mcxt);
  twin->fn_extra = callee;
  return callee;
}

constexpr int kMostArguments = 6;

// Without fetching what is stored elsewhere.
Size length(Datum value) { return toast_raw_datum_size(value) - VARHDRSZ; }

bool varies(const Original& original, int argument) {
  return (original.varying & (uint32{1} << argument)) != 0;
}

bool takes_too_much(const Original& original, FunctionCallInfo fcinfo) {
  if (original.varying == 0) return false;
  Size bytes = 0;
  for (int i = 0; i < PG_NARGS(); ++i) {
    if (varies(original, i)) bytes += length(PG_GETARG_DATUM(i));
  }
  return bytes > twin_rows::kLongest;
}

// Fetched by now: an error of that is one of the storage, and would leave a table open.
NullableDatum argument(const Original& original, FunctionCallInfo fcinfo, int i) {
  if (!varies(original, i)) return fcinfo->args[i];
  return {PointerGetDatum(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(i))), false};
}

Datum total(FunctionCallInfo fcinfo) {
  auto* callee = static_cast<Callee*>(fcinfo->flinfo->fn_extra);
  if (callee == nullptr) callee = prepare(fcinfo->flinfo);
  const Original& original = callee->original;
  if (takes_too_much(original, fcinfo)) PG_RETURN_NULL();

  LOCAL_FCINFO(call, kMostArguments);
  InitFunctionCallInfoData(*call, &callee->function, 0, PG_GET_COLLATION(), nullptr, nullptr);
  if (original.form == Form::kInput) {
    const Datum words = argument(original, fcinfo, 0).value;
    call->nargs = 3;
    call->args[0] = {CStringGetDatum(TextDatumGetCString(words)), false};
    call->args[1] = {ObjectIdGetDatum(InvalidOid), false};
    call->args[2] = {Int32GetDatum(-1), false};
  } else {
    call->nargs = static_cast<short>(PG_NARGS());
    Assert(PG_NARGS() <= kMostArguments);
    for (int i = 0; i < PG_NARGS(); ++i) call->args[i] = argument(original, fcinfo, i);
  }
  Datum result = 0;
  if (!computes(call, &result)) PG_RETURN_NULL();
  fcinfo->isnull = call->isnull || (original.gives_varying && length(result) > twin_rows::kLongest);
  return result;
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_total, total);

}  // extern "C"
#pragma GCC visibility pop
