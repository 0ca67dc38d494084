#include "extension/pg/former_names.h"

#include "extension/pg/catalog_lookup.h"

extern "C" {
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/varlena.h"
}

namespace idp {

namespace {

bool is_deleted_here(HeapTupleHeader header) {
  return (header->t_infomask & HEAP_XMAX_INVALID) == 0 &&
         !HEAP_XMAX_IS_LOCKED_ONLY(header->t_infomask) &&
         TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetUpdateXid(header));
}

// Calls visit for each version of a row of a catalog that this transaction has deleted, or replaced
// by another one.
template <class Visit>
void for_each_former_row(Oid catalog, Oid index, AttrNumber oid_column, Oid oid, Visit visit) {
  Relation table = table_open(catalog, AccessShareLock);
  ScanKeyData key;
  ScanKeyInit(&key, oid_column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(oid));
  SysScanDesc scan = systable_beginscan(table, index, true, SnapshotAny, 1, &key);
  HeapTuple tuple;
  while (HeapTupleIsValid(tuple = systable_getnext(scan))) {
    if (is_deleted_here(tuple->t_data)) visit(tuple);
  }
  systable_endscan(scan);
  table_close(table, AccessShareLock);
}

template <class Visit>
void for_each_former_row_of_table(Oid table, Visit visit) {
  for_each_former_row(RelationRelationId, ClassOidIndexId, Anum_pg_class_oid, table, visit);
}

bool schema_has_or_had(Oid schema, const char* name) {
  const char* present = get_namespace_name(schema);
  bool found = present != nullptr && strcmp(present, name) == 0;
  for_each_former_row(NamespaceRelationId, NamespaceOidIndexId, Anum_pg_namespace_oid, schema,
                      [&](HeapTuple row) {
                        const auto* former = reinterpret_cast<Form_pg_namespace>(GETSTRUCT(row));
                        found |= strcmp(NameStr(former->nspname), name) == 0;
                      });
  return found;
}

}  // namespace

char* owner_at_drop(Oid table) {
  char* owner = nullptr;
  for_each_former_row_of_table(table, [&](HeapTuple row) {
    const bool is_last = ItemPointerEquals(&row->t_data->t_ctid, &row->t_self);
    if (!is_last) return;
    owner = GetUserNameFromId(reinterpret_cast<Form_pg_class>(GETSTRUCT(row))->relowner, true);
  });
  return owner;
}

bool had_name(Oid table, const char* qualified_name) {
  if (!relation_exists(table) || table_named(qualified_name) == table) return false;
  List* names = textToQualifiedNameList(cstring_to_text(qualified_name));
  if (list_length(names) != 2) return false;
  const char* schema = strVal(linitial(names));
  const char* name = strVal(lsecond(names));
  const auto is_it = [&](Oid in, const char* called) {
    return strcmp(called, name) == 0 && schema_has_or_had(in, schema);
  };
  bool found = is_it(get_rel_namespace(table), get_rel_name(table));  // its schema had another one
  for_each_former_row_of_table(table, [&](HeapTuple row) {
    const auto* former = reinterpret_cast<Form_pg_class>(GETSTRUCT(row));
    found |= is_it(former->relnamespace, NameStr(former->relname));
  });
  return found;
}

}  // namespace idp
