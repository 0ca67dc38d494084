#include "extension/access/beforehand.h"

extern "C" {
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "storage/lmgr.h"
#include "utils/pg_locale.h"
#include "utils/rel.h"
}

namespace idp {

namespace {

Oid store_of_long_values(Oid table) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
  if (!HeapTupleIsValid(tuple)) return InvalidOid;
  const Oid store = reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple))->reltoastrelid;
  ReleaseSysCache(tuple);
  return store;
}

void lock_store(Oid store) {
  Relation relation = table_open(store, AccessShareLock);
  List* indexes = RelationGetIndexList(relation);
  ListCell* cell;
  foreach (cell, indexes) LockRelationOid(lfirst_oid(cell), AccessShareLock);
  table_close(relation, NoLock);
}

bool is_of_superuser(Oid collation) {
  if (collation < FirstNormalObjectId) return true;
  HeapTuple tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
  if (!HeapTupleIsValid(tuple)) return false;
  const Oid owner = reinterpret_cast<Form_pg_collation>(GETSTRUCT(tuple))->collowner;
  ReleaseSysCache(tuple);
  return superuser_arg(owner);
}

}  // namespace

void lock_long_values(EState* state) {
  ListCell* cell;
  foreach (cell, state->es_range_table) {
    const auto* entry = static_cast<const RangeTblEntry*>(lfirst(cell));
    if (entry->rtekind != RTE_RELATION) continue;
    const Oid store = store_of_long_values(entry->relid);
    if (OidIsValid(store)) lock_store(store);
  }
}

bool open_collation(Oid collation) {
  if (!OidIsValid(collation)) return true;
  if (!is_of_superuser(collation)) return false;
#if PG_VERSION_NUM < 180000
  if (lc_collate_is_c(collation) && lc_ctype_is_c(collation)) return true;
#endif
  (void)pg_newlocale_from_collation(collation);
  return true;
}

}  // namespace idp
