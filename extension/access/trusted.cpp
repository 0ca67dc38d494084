#include "extension/access/trusted.h"

#include "extension/pg/catalog_lookup.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "access/transam.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
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

bool is_listed(Oid function) {
  const Oid list = own_relation("trusted_function");
  if (!OidIsValid(list)) return false;
  Relation table = table_open(list, AccessShareLock);
  ScanKeyData key;
  ScanKeyInit(&key, 1, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(function));
  SysScanDesc scan =
      systable_beginscan(table, own_relation("trusted_function_pkey"), true, SnapshotSelf, 1, &key);
  const bool found = HeapTupleIsValid(systable_getnext(scan));
  systable_endscan(scan);
  table_close(table, AccessShareLock);
  return found;
}

}  // namespace

bool is_trusted(Oid function) {
  if (function < FirstNormalObjectId) return false;
  const Oid owner = owner_of_function(function);
  return OidIsValid(owner) && superuser_arg(owner) && is_listed(function);
}

}  // namespace idp
