#include "extension/pg/parents.h"

#include "extension/pg/citus_catalog.h"
#include "extension/pg/known_relations.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace idp {

namespace {

// What is known of a relation, until anything about relations changes: who makes one the child of
// another sends that, before a lock is free that whoever reads it has to have.
struct Entry {
  Oid relation;
  List* parents;
};

KnownRelations<Entry> known("idp: parents");

void forget(Datum, Oid) { known.forget(); }

List* looked_up(Oid relation) {
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

Entry with_copies(Entry entry) {
  entry.parents = list_copy(entry.parents);
  return entry;
}

List* inherited_from(Oid relation) {
  if (const Entry* found = known.find(relation)) return list_copy(found->parents);
  const auto look_up = [&] { return Entry{relation, looked_up(relation)}; };
  return known.look_up(relation, look_up, with_copies).parents;
}

}  // namespace

List* parents_of(Oid relation) {
  List* parents = inherited_from(relation);
  const Oid distributed = citus_table_of_shard(relation);
  if (OidIsValid(distributed)) parents = lappend_oid(parents, distributed);
  return parents;
}

Oid whole_of(Oid relation) {
  while (get_rel_relispartition(relation)) {
    List* parents = parents_of(relation);
    if (parents == NIL) break;
    relation = linitial_oid(parents);
  }
  return relation;
}

void watch_parents() { CacheRegisterRelcacheCallback(forget, Datum{0}); }

bool has_children(Oid relation) {
  return get_rel_relkind(relation) == RELKIND_RELATION && has_subclass(relation);
}

}  // namespace idp
