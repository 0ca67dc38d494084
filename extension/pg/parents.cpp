#include "extension/pg/parents.h"

#include "extension/pg/citus_catalog.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace idp {

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

bool has_children(Oid relation) {
  return get_rel_relkind(relation) == RELKIND_RELATION && has_subclass(relation);
}

}  // namespace idp
