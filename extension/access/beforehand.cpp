#include "extension/access/beforehand.h"

#include "extension/state/query.h"

extern "C" {
#include "access/genam.h"
#include "access/relation.h"
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

void open_store(Oid store, Query* query) {
  Relation relation = table_open(store, AccessShareLock);
  query->long_values = lappend(query->long_values, relation);
  ListCell* cell;
  foreach (cell, RelationGetIndexList(relation)) {
    Relation index = index_open(lfirst_oid(cell), AccessShareLock);
    query->long_values = lappend(query->long_values, index);
  }
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

void open_long_values(EState* state) {
  Query* query = query_of(state);
  ListCell* cell;
  foreach (cell, state->es_range_table) {
    const auto* entry = static_cast<const RangeTblEntry*>(lfirst(cell));
    if (entry->rtekind != RTE_RELATION) continue;
    const Oid store = store_of_long_values(entry->relid);
    if (OidIsValid(store)) open_store(store, query);
  }
}

void close_long_values(EState* state) {
  Query* query = find_query(state);
  if (query == nullptr) return;
  ListCell* cell;
  foreach (cell, query->long_values) relation_close(static_cast<Relation>(lfirst(cell)), NoLock);
  query->long_values = NIL;
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
