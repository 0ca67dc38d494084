#include "extension/access/eager_opens.h"

#include "extension/access/lasting.h"
#include "extension/pg/nodes.h"
#include "extension/pg/versions.h"
#include "extension/state/running_query.h"

extern "C" {
#include "access/genam.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_enum.h"
#include "storage/lmgr.h"
#include "utils/fmgroids.h"
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

void open_store(Oid store, RunningQuery* query) {
  Relation relation = table_open(store, AccessShareLock);
  query->long_values = lappend(query->long_values, relation);
  for (const Oid oid : oids(RelationGetIndexList(relation))) {
    Relation index = index_open(oid, AccessShareLock);
    query->long_values = lappend(query->long_values, index);
  }
}

// Each by itself, and the order of all, which is needed where one was added between others.
void look_up_enum(Oid type) {
  FmgrInfo compare;
  fmgr_info(F_ENUM_CMP, &compare);
  Relation values = table_open(EnumRelationId, AccessShareLock);
  ScanKeyData key;
  ScanKeyInit(&key, Anum_pg_enum_enumtypid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(type));
  SysScanDesc scan = systable_beginscan(values, EnumTypIdLabelIndexId, true, nullptr, 1, &key);
  Oid first = InvalidOid;
  HeapTuple tuple;
  while (HeapTupleIsValid(tuple = systable_getnext(scan))) {
    const Oid value = reinterpret_cast<Form_pg_enum>(GETSTRUCT(tuple))->oid;
    HeapTuple cached = SearchSysCache1(ENUMOID, ObjectIdGetDatum(value));
    if (HeapTupleIsValid(cached)) ReleaseSysCache(cached);
    if (OidIsValid(first)) {
      (void)FunctionCall2(&compare, ObjectIdGetDatum(first), ObjectIdGetDatum(value));
    }
    first = value;
  }
  systable_endscan(scan);
  table_close(values, AccessShareLock);
}

}  // namespace

void open_long_values(EState* state) {
  RunningQuery* query = query_of(state);
  for (const auto* entry : list<RangeTblEntry>(state->es_range_table)) {
    if (entry->rtekind != RTE_RELATION) continue;
    const Oid store = store_of_long_values(entry->relid);
    if (OidIsValid(store)) open_store(store, query);
  }
}

void close_long_values(EState* state) {
  RunningQuery* query = find_query(state);
  if (query == nullptr) return;
  ListCell* cell;
  foreach (cell, query->long_values) relation_close(static_cast<Relation>(lfirst(cell)), NoLock);
  query->long_values = NIL;
}

void look_up_enums(EState* state) {
  List* types = NIL;
  for (const auto* entry : list<RangeTblEntry>(state->es_range_table)) {
    if (entry->rtekind != RTE_RELATION) continue;
    // a worker of a parallel query has none of its leader's locks for its own
    Relation relation = table_open(entry->relid, AccessShareLock);
    TupleDesc columns = RelationGetDescr(relation);
    for (int i = 0; i < columns->natts; ++i) {
      if (TupleDescAttr(columns, i)->attisdropped) continue;  // it has no type
      const Oid type = getBaseType(TupleDescAttr(columns, i)->atttypid);
      if (type_is_enum(type)) types = list_append_unique_oid(types, type);
    }
    table_close(relation, AccessShareLock);
  }
  for (const Oid oid : oids(types)) look_up_enum(oid);
}

bool open_collation(Oid collation) {
  if (!OidIsValid(collation)) return true;
  if (!is_lasting_collation(collation)) return false;
  if (is_without_locale(collation)) return true;
  (void)pg_newlocale_from_collation(collation);
  return true;
}

}  // namespace idp
