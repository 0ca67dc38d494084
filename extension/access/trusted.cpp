#include "extension/access/trusted.h"

#include "extension/catalog/own_rows.h"
#include "extension/pg/sql_function.h"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "utils/acl.h"
}

namespace idp {

namespace {

Oid owner_of_function(Oid function) {
  HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
  if (!HeapTupleIsValid(tuple)) return InvalidOid;
  const Oid owner = reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple))->proowner;
  ReleaseSysCache(tuple);
  return owner;
}

// Names in the text of a function are looked up where the caller's search path leads, and types in
// her temporary schema even before the server's, unless the function has this path of its own.
constexpr char kOwnPath[] = "search_path=pg_catalog, pg_temp";

bool has_own_path(HeapTuple function) {
  bool is_null = false;
  const Datum settings = SysCacheGetAttr(PROCOID, function, Anum_pg_proc_proconfig, &is_null);
  if (is_null) return false;
  ArrayIterator iterator = array_create_iterator(DatumGetArrayTypeP(settings), 0, nullptr);
  Datum setting = 0;
  while (array_iterate(iterator, &setting, &is_null)) {
    if (!is_null && strcmp(TextDatumGetCString(setting), kOwnPath) == 0) return true;
  }
  return false;
}

bool has_own_names(Oid function) {
  HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
  if (!HeapTupleIsValid(tuple)) return false;
  const Oid language = reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple))->prolang;
  const bool has_own =
      language == ClanguageId || language == INTERNALlanguageId || has_own_path(tuple);
  ReleaseSysCache(tuple);
  return has_own;
}

bool is_listed(Oid function) {
  return has_row("trusted_function", "trusted_function_pkey", 1, function);
}

}  // namespace

bool is_trusted(Oid function) {
  if (function < FirstNormalObjectId) return false;
  const Oid owner = owner_of_function(function);
  return OidIsValid(owner) && superuser_arg(owner) && is_listed(function) &&
         has_own_names(function);
}

namespace {

Datum function_has_own_names(FunctionCallInfo fcinfo) {
  PG_RETURN_BOOL(has_own_names(PG_GETARG_OID(0)));
}

Datum function_is_listed(FunctionCallInfo fcinfo) { PG_RETURN_BOOL(is_listed(PG_GETARG_OID(0))); }

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_has_own_names, function_has_own_names);
IDP_FUNCTION(idp_is_listed, function_is_listed);

}  // extern "C"
#pragma GCC visibility pop
