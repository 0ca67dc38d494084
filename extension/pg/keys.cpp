#include "extension/pg/keys.h"

extern "C" {
#include "access/genam.h"
#include "access/relation.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_index.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
}

namespace idp {

namespace {

bool is_never_null(const TupleDesc columns, AttrNumber column) {
#if PG_VERSION_NUM >= 180000
  // a constraint that was not validated yet sets attnotnull
  return TupleDescCompactAttr(columns, column - 1)->attnullability == ATTNULLABLE_VALID;
#else
  return TupleDescAttr(columns, column - 1)->attnotnull;
#endif
}

// Whether an index was not there yet in the snapshot of the query, whose rows it need not hold for.
bool is_too_new(Relation index) {
  const TransactionId made = HeapTupleHeaderGetXmin(index->rd_indextuple->t_data);
  if (!TransactionIdIsNormal(made) || TransactionIdIsCurrentTransactionId(made)) return false;
  return ActiveSnapshotSet() && IsMVCCSnapshot(GetActiveSnapshot()) &&
         XidInMVCCSnapshot(made, GetActiveSnapshot());
}

UniqueKey* key_of(Relation index, const TupleDesc columns) {
  const Form_pg_index row = index->rd_index;
  if (is_too_new(index)) return nullptr;
  const bool is_key = row->indisunique && row->indisvalid && row->indisready && row->indislive &&
                      row->indimmediate && index->rd_rel->relam == BTREE_AM_OID &&
                      heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, nullptr) &&
                      heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, nullptr);
  if (!is_key) return nullptr;
  auto* key = static_cast<UniqueKey*>(palloc(sizeof(UniqueKey)));
  *key = {RelationGetRelid(index), row->indnkeyatts, nullptr, true};
  key->columns =
      static_cast<KeyColumn*>(palloc(sizeof(KeyColumn) * static_cast<Size>(row->indnkeyatts)));
  for (int i = 0; i < row->indnkeyatts; ++i) {
    const AttrNumber column = row->indkey.values[i];
    if (column <= 0) return nullptr;
    key->columns[i] = {column, index->rd_opfamily[i], index->rd_indcollation[i]};
    key->without_nulls &= is_never_null(columns, column);
  }
  return key;
}

}  // namespace

List* unique_keys_of(Oid table) {
  Relation relation = try_relation_open(table, AccessShareLock);
  if (relation == nullptr) return NIL;
  List* keys = NIL;
  ListCell* cell;
  foreach (cell, RelationGetIndexList(relation)) {
    Relation index = index_open(lfirst_oid(cell), AccessShareLock);
    UniqueKey* key = key_of(index, RelationGetDescr(relation));
    if (key != nullptr) keys = lappend(keys, key);
    index_close(index, AccessShareLock);
  }
  relation_close(relation, AccessShareLock);
  return keys;
}

const UniqueKey* unique_key_on(Oid table, AttrNumber column) {
  ListCell* cell;
  foreach (cell, unique_keys_of(table)) {
    const auto* key = static_cast<const UniqueKey*>(lfirst(cell));
    if (key->count == 1 && key->columns[0].column == column) return key;
  }
  return nullptr;
}

bool is_not_null(Oid table, AttrNumber column) {
  Relation relation = try_relation_open(table, AccessShareLock);
  if (relation == nullptr) return false;
  const bool never = is_never_null(RelationGetDescr(relation), column);
  relation_close(relation, AccessShareLock);
  return never;
}

bool is_equality_of(Oid family, Oid op, Oid collation) {
  if (OidIsValid(collation) && !get_collation_isdeterministic(collation)) return false;
  return get_op_opfamily_strategy(op, family) == BTEqualStrategyNumber;
}

Reference reference_of(Oid table, AttrNumber column, Oid parent, AttrNumber* referenced) {
  Relation catalog = table_open(ConstraintRelationId, AccessShareLock);
  ScanKeyData key;
  ScanKeyInit(&key, Anum_pg_constraint_conrelid, BTEqualStrategyNumber, F_OIDEQ,
              ObjectIdGetDatum(table));
  SysScanDesc scan =
      systable_beginscan(catalog, ConstraintRelidTypidNameIndexId, true, nullptr, 1, &key);
  Reference found = Reference::kNone;
  HeapTuple tuple;
  while (found != Reference::kSound && HeapTupleIsValid(tuple = systable_getnext(scan))) {
    const auto* row = reinterpret_cast<Form_pg_constraint>(GETSTRUCT(tuple));
    if (row->contype != CONSTRAINT_FOREIGN || row->confrelid != parent) continue;
    int count = 0;
    AttrNumber from[INDEX_MAX_KEYS];
    AttrNumber to[INDEX_MAX_KEYS];
    Oid operators[INDEX_MAX_KEYS];
#if PG_VERSION_NUM >= 150000
    DeconstructFkConstraintRow(tuple, &count, from, to, operators, nullptr, nullptr, nullptr,
                               nullptr);
#else
    DeconstructFkConstraintRow(tuple, &count, from, to, operators, nullptr, nullptr);
#endif
    if (count != 1 || from[0] != column) continue;
    *referenced = to[0];
    found = !row->convalidated   ? Reference::kNotValid
            : row->condeferrable ? Reference::kDeferrable
                                 : Reference::kSound;
#if PG_VERSION_NUM >= 180000
    if (!row->conenforced) found = Reference::kNotValid;
#endif
  }
  systable_endscan(scan);
  table_close(catalog, AccessShareLock);
  return found;
}

}  // namespace idp
