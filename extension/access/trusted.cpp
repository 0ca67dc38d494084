#include "extension/access/trusted.h"

#include "extension/catalog/own_rows.h"
#include "extension/pg/sql_function.h"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "utils/acl.h"
#include "utils/catcache.h"
#include "utils/regproc.h"
#include "utils/varlena.h"
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

// Of other functions the server reads the text with the first row that comes to them, under the
// settings of that moment. A procedural language keeps the result for the session. If this row was
// a hidden one, a later call by the analyst tells.
bool is_read_when_created(HeapTuple function) {
  bool is_text = false;
  SysCacheGetAttr(PROCOID, function, Anum_pg_proc_prosqlbody, &is_text);
  return !is_text;
}

bool is_in_c(HeapTuple function) {
  const Oid language = reinterpret_cast<Form_pg_proc>(GETSTRUCT(function))->prolang;
  return language == ClanguageId || language == INTERNALlanguageId;
}

using Property = bool(HeapTuple);

bool is_in_c_or(Property* has, Oid function) {
  HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
  if (!HeapTupleIsValid(tuple)) return false;
  const bool is_so = is_in_c(tuple) || has(tuple);
  ReleaseSysCache(tuple);
  return is_so;
}

bool has_own_names(Oid function) { return is_in_c_or(has_own_path, function); }

// By its name and the types of its arguments: its number is another one after pg_upgrade.
bool is_listed(Oid function) {
  ScanKeyData key;
  ScanKeyInit(&key, 1, BTEqualStrategyNumber, F_TEXTEQ,
              CStringGetTextDatum(format_procedure_qualified(function)));
  return has_row("trusted_function", "trusted_function_pkey", key);
}

}  // namespace

bool is_trusted(Oid function) {
  if (function < FirstNormalObjectId) return false;
  const Oid owner = owner_of_function(function);
  return OidIsValid(owner) && superuser_arg(owner) && is_listed(function) &&
         has_own_names(function) && is_in_c_or(is_read_when_created, function);
}

namespace {

Datum function_has_own_names(FunctionCallInfo fcinfo) {
  PG_RETURN_BOOL(has_own_names(PG_GETARG_OID(0)));
}

// The name before the types of the arguments.
text* name_in(const char* identity) {
  const char* end = identity;
  for (bool is_quoted = false; *end != '\0' && (is_quoted || *end != '('); ++end) {
    if (*end == '"') is_quoted = !is_quoted;
  }
  return cstring_to_text_with_len(identity, static_cast<int>(end - identity));
}

// Whether a function is called so. Types are not looked up: they may be gone.
bool is_there(const char* identity) {
  const List* names = textToQualifiedNameList(name_in(identity));
  CatCList* all = SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum(strVal(llast(names))));
  bool found = false;
  for (int i = 0; !found && i < all->n_members; ++i) {
    const auto* row = reinterpret_cast<Form_pg_proc>(GETSTRUCT(&all->members[i]->tuple));
    found = strcmp(format_procedure_qualified(row->oid), identity) == 0;
  }
  ReleaseSysCacheList(all);
  return found;
}

Datum is_there(FunctionCallInfo fcinfo) {
  PG_RETURN_BOOL(is_there(TextDatumGetCString(PG_GETARG_DATUM(0))));
}

// Whether all that are trusted are there.
Datum trusted_are_there(FunctionCallInfo fcinfo) {
  (void)fcinfo;
  const auto is_gone = [](HeapTuple row, TupleDesc columns) {
    bool is_null = false;
    return !is_there(TextDatumGetCString(heap_getattr(row, 1, columns, &is_null)));
  };
  PG_RETURN_BOOL(!any_row("trusted_function", nullptr, nullptr, is_gone));
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_has_own_names, function_has_own_names);
IDP_FUNCTION(idp_is_there, is_there);
IDP_FUNCTION(idp_trusted_are_there, trusted_are_there);

}  // extern "C"
#pragma GCC visibility pop
