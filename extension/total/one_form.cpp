#include "extension/total/one_form.h"

#include <cmath>

#include "extension/pg/own_objects.h"
#include "extension/pg/nodes.h"
#include "extension/pg/sql_function.h"

extern "C" {
#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
}

namespace idp {

namespace {

constexpr char kName[] = "in_one_form";

// 0 for -0, and one NaN.
template <class Float>
Float in_one_form_of(Float value) {
  if (std::isnan(value)) return static_cast<Float>(get_float8_nan());
  return value == 0 ? 0 : value;
}

}  // namespace

Datum value_in_one_form(Oid type, bool has_own_scales, Datum value) {
  if (type == FLOAT8OID) return Float8GetDatum(in_one_form_of(DatumGetFloat8(value)));
  if (type == FLOAT4OID) return Float4GetDatum(in_one_form_of(DatumGetFloat4(value)));
  if (type == NUMERICOID && has_own_scales) return DirectFunctionCall1(numeric_trim_scale, value);
  if (get_typlen(type) != -1) return value;
  return PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
}

namespace {

// Values of a column without a scale have each their own. Those of one with a scale keep its zeros.
bool has_own_scales(const FunctionCallInfo fcinfo) {
  const auto* call = maybe<FuncExpr>(fcinfo->flinfo->fn_expr);
  if (call == nullptr) return true;
  const auto* value = static_cast<const Node*>(linitial(call->args));
  int32 typmod = exprTypmod(value);
  (void)getBaseTypeAndTypmod(exprType(value), &typmod);
  return typmod < 0;
}

Datum called(FunctionCallInfo fcinfo) {
  const Oid type = get_fn_expr_argtype(fcinfo->flinfo, 0);
  const Datum value = PG_GETARG_DATUM(0);
  return OidIsValid(type) ? value_in_one_form(getBaseType(type), has_own_scales(fcinfo), value)
                          : value;
}

bool has_one_form(Oid type) {
  const Oid base = getBaseType(type);
  return get_typlen(base) != -1 && base != FLOAT8OID && base != FLOAT4OID;
}

bool is_number_with_forms(Oid type) {
  return type == NUMERICOID || type == FLOAT8OID || type == FLOAT4OID;
}

}  // namespace

bool is_in_one_form(const Node* node) {
  const auto* call = maybe<FuncExpr>(node);
  return call != nullptr && call->funcid >= FirstNormalObjectId &&
         call->funcid == own_function(kName);
}

bool is_number_in_one_form(const Node* node) {
  return is_in_one_form(node) && is_number_with_forms(getBaseType(exprType(node)));
}

Node* in_one_form(Node* value) {
  const Oid type = exprType(value);
  if (has_one_form(type)) return value;
  const Oid function = own_function(kName);
  if (!OidIsValid(function)) elog(ERROR, "function idp.%s() does not exist", kName);
  const Oid collation = exprCollation(value);
  return as<Node>(
      makeFuncExpr(function, type, list_make1(value), collation, collation, COERCE_EXPLICIT_CALL));
}

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_in_one_form, called);

}  // extern "C"
#pragma GCC visibility pop
