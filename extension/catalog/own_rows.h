// Ordinary rows of the extension's small tables: they live and die with the transaction that writes
// them, and are read as of now, whatever snapshot the query has.
#pragma once

#include "extension/pg/pg.h"

#include "extension/pg/own_objects.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
}

namespace idp {

// Calls visit(values, nulls, place) for each row that has the key, by an index whose first column
// is that of the key. None in a database whose extension was not updated yet. visit may delete the
// row.
template <int columns, class Visit>
void for_each_row(const char* table_name, const char* index_name, ScanKeyData key, Visit visit) {
  const Oid table_id = own_relation(table_name);
  if (!OidIsValid(table_id)) return;
  Relation table = table_open(table_id, AccessShareLock);
  SysScanDesc scan =
      systable_beginscan(table, own_relation(index_name), true, SnapshotSelf, 1, &key);
  HeapTuple tuple;
  while (HeapTupleIsValid(tuple = systable_getnext(scan))) {
    Datum values[columns];
    bool nulls[columns];
    heap_deform_tuple(tuple, RelationGetDescr(table), values, nulls);
    visit(values, nulls, tuple->t_self);
  }
  systable_endscan(scan);
  table_close(table, AccessShareLock);
}

// Whether is_one(row, columns) of any row, of those that have the key by an index whose first
// column is that of the key; of all rows without one. Leaves no lock.
template <class IsOne>
bool any_row(const char* table_name, const char* index_name, ScanKeyData* key, IsOne is_one) {
  const Oid table_id = own_relation(table_name);
  if (!OidIsValid(table_id)) return false;
  Relation table = table_open(table_id, AccessShareLock);
  const Oid index = key == nullptr ? InvalidOid : own_relation(index_name);
  SysScanDesc scan =
      systable_beginscan(table, index, key != nullptr, SnapshotSelf, key == nullptr ? 0 : 1, key);
  bool found = false;
  HeapTuple tuple;
  while (!found && HeapTupleIsValid(tuple = systable_getnext(scan))) {
    found = is_one(tuple, RelationGetDescr(table));
  }
  systable_endscan(scan);
  table_close(table, AccessShareLock);
  return found;
}

inline bool has_row(const char* table_name, const char* index_name, ScanKeyData key) {
  return any_row(table_name, index_name, &key, [](HeapTuple, TupleDesc) { return true; });
}
// The same of a number in a column.
inline bool has_row(const char* table_name, const char* index_name, AttrNumber column, Oid number) {
  ScanKeyData key;
  ScanKeyInit(&key, column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(number));
  return has_row(table_name, index_name, key);
}

}  // namespace idp
