#include "extension/total/one_form.h"

#include "extension/pg/own_objects.h"
#include "extension/pg/nodes.h"
#include "extension/pg/sql_function.h"

extern "C" {
#include "nodes/makefuncs.h"
}

namespace idp {

namespace {

constexpr char kName[] = "in_one_form";

Datum fetched(FunctionCallInfo fcinfo) {
  const Oid type = get_fn_expr_argtype(fcinfo->flinfo, 0);
  if (!OidIsValid(type) || get_typlen(type) != -1) return PG_GETARG_DATUM(0);
  return PointerGetDatum(PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(0)));
}

}  // namespace

Node* in_one_form(Node* value) {
  const Oid type = exprType(value);
  if (get_typlen(type) != -1) return value;
  const Oid function = own_function(kName);
  if (!OidIsValid(function)) elog(ERROR, "function idp.%s() does not exist", kName);
  const Oid collation = exprCollation(value);
  return as<Node>(
      makeFuncExpr(function, type, list_make1(value), collation, collation, COERCE_EXPLICIT_CALL));
}

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_in_one_form, fetched);

}  // extern "C"
#pragma GCC visibility pop
