#include "extension/pg/parents.h"

#include "extension/pg/citus_catalog.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
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

HTAB* known = nullptr;
MemoryContext context = nullptr;  // of it and of its lists
bool is_current = false;
uint64 changes = 0;

void forget(Datum, Oid) {
  is_current = false;
  ++changes;
}

void renew() {
  known = nullptr;  // should there be no memory
  if (context != nullptr) MemoryContextReset(context);
  if (context == nullptr) {
    context = AllocSetContextCreate(TopMemoryContext, "idp: parents", ALLOCSET_SMALL_SIZES);
  }
  HASHCTL control = {};
  control.keysize = sizeof(Oid);
  control.entrysize = sizeof(Entry);
  control.hcxt = context;
  known = hash_create("idp: parents", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
  is_current = true;
}

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

List* inherited_from(Oid relation) {
  if (!is_current) renew();
  if (const void* found = hash_search(known, &relation, HASH_FIND, nullptr)) {
    return list_copy(static_cast<const Entry*>(found)->parents);
  }
  const uint64 before = changes;
  List* parents = looked_up(relation);
  // Something may have changed while we looked: then it is looked up again the next time.
  if (changes != before) return parents;
  MemoryContext caller = MemoryContextSwitchTo(context);
  List* kept = list_copy(parents);
  static_cast<Entry*>(hash_search(known, &relation, HASH_ENTER, nullptr))->parents = kept;
  MemoryContextSwitchTo(caller);
  return parents;
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
