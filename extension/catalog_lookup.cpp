#include "extension/catalog_lookup.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_inherits.h"
#include "utils/fmgroids.h"
#include "utils/snapmgr.h"
}

namespace idp {

Oid function_argument_type(Oid function, int position) {
  Oid* types = nullptr;
  int count = 0;
  (void)get_func_signature(function, &types, &count);
  const Oid type = position < count ? types[position] : InvalidOid;
  pfree(types);
  return type;
}

int function_argument_count(Oid function) {
  Oid* types = nullptr;
  int count = 0;
  (void)get_func_signature(function, &types, &count);
  pfree(types);
  return count;
}

Oid transition_function_of(Oid aggregate) {
  HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
  if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for aggregate %u", aggregate);
  const Oid transition = reinterpret_cast<Form_pg_aggregate>(GETSTRUCT(tuple))->aggtransfn;
  ReleaseSysCache(tuple);
  return transition;
}

bool is_unsteady(Oid function, void*) {
  const char volatility = func_volatile(function);
  return volatility == PROVOLATILE_VOLATILE ||
         (volatility == PROVOLATILE_STABLE && function >= FirstNormalObjectId);
}

char* qualified_name(Oid table) {
  const char* name = OidIsValid(table) ? get_rel_name(table) : nullptr;
  const char* schema = name ? get_namespace_name(get_rel_namespace(table)) : nullptr;
  return schema ? quote_qualified_identifier(schema, name) : nullptr;
}

char* current_role_name() { return GetUserNameFromId(GetUserId(), false); }

Oid own_type(const char* name) {
  const Oid schema = get_namespace_oid("idp", false);
  return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(name),
                         ObjectIdGetDatum(schema));
}

List* parents_of(Oid relation) {
  List* parents = NIL;
  Relation inherits = table_open(InheritsRelationId, AccessShareLock);
  ScanKeyData key;
  ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ,
              ObjectIdGetDatum(relation));
  SysScanDesc scan =
      systable_beginscan(inherits, InheritsRelidSeqnoIndexId, true, nullptr, 1, &key);
  HeapTuple tuple;
  while (HeapTupleIsValid(tuple = systable_getnext(scan))) {
    parents = lappend_oid(parents, reinterpret_cast<Form_pg_inherits>(GETSTRUCT(tuple))->inhparent);
  }
  systable_endscan(scan);
  table_close(inherits, AccessShareLock);
  return parents;
}

}  // namespace idp
