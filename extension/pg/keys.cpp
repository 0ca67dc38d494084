#include "extension/pg/keys.h"

#include "extension/pg/nodes.h"
#include "extension/pg/versions.h"

extern "C" {
#include "access/genam.h"
#include "access/relation.h"
#include "access/stratnum.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/partition.h"
#include "catalog/pg_am.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_index.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"
}

namespace idp {

Snapshot snapshot_at_work() { return ActiveSnapshotSet() ? GetActiveSnapshot() : nullptr; }

namespace {

bool is_deterministic(Oid collation) {
  return !OidIsValid(collation) || get_collation_isdeterministic(collation);
}

// Whether a row of the catalogs, as it is now, is one that the snapshot sees.
bool is_seen(HeapTuple tuple, Snapshot snapshot) {
  if (snapshot == nullptr) return true;
  if (snapshot->snapshot_type != SNAPSHOT_MVCC) return false;
  const TransactionId maker = HeapTupleHeaderGetXmin(tuple->t_data);
  if (TransactionIdIsCurrentTransactionId(maker)) {
    return HeapTupleHeaderGetCmin(tuple->t_data) < snapshot->curcid;
  }
  return !XidInMVCCSnapshot(maker, snapshot);
}

bool is_seen_and_gone(HeapTuple tuple, Snapshot snapshot) {
  const bool seen = HeapTupleIsValid(tuple) && is_seen(tuple, snapshot);
  if (HeapTupleIsValid(tuple)) ReleaseSysCache(tuple);
  return seen;
}

// What is declared of a foreign table nobody checks.
bool is_never_null(Relation table, AttrNumber column, Snapshot snapshot) {
  if (table->rd_rel->relkind == RELKIND_FOREIGN_TABLE) return false;
  const TupleDesc columns = RelationGetDescr(table);
#if PG_VERSION_NUM >= 180000
  // a constraint that was not validated yet sets attnotnull
  if (TupleDescCompactAttr(columns, column - 1)->attnullability != ATTNULLABLE_VALID) return false;
  HeapTuple constraint = findNotNullConstraintAttnum(RelationGetRelid(table), column);
  return HeapTupleIsValid(constraint) && is_seen(constraint, snapshot);
#else
  return TupleDescAttr(columns, column - 1)->attnotnull &&
         is_seen_and_gone(SearchSysCache2(ATTNUM, ObjectIdGetDatum(RelationGetRelid(table)),
                                          Int16GetDatum(column)),
                          snapshot);
#endif
}

// The family by which values of the column are compared where nobody names another one.
Oid own_family(Oid table, AttrNumber column) {
  const Oid type = getBaseType(get_atttype(table, column));
  return lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
}

// A foreign key compares as the unique index does that it refers to, after a cast if the types have
// no operator there: text that refers to char(10) is without its trailing blanks then.
bool compares_as_columns_do(Oid index, Oid table, AttrNumber column, Oid parent,
                            AttrNumber referenced) {
  const Oid family = get_opclass_family(get_index_column_opclass(index, 1));
  return family == own_family(table, column) && family == own_family(parent, referenced);
}

UniqueKey* key_of(Relation index, Relation table, Snapshot snapshot) {
  const Form_pg_index row = index->rd_index;
  const bool is_key =
      is_seen_and_gone(SearchSysCache1(INDEXRELID, ObjectIdGetDatum(RelationGetRelid(index))),
                       snapshot) &&
      row->indisunique && row->indisvalid && row->indisready && row->indislive &&
      row->indimmediate && index->rd_rel->relam == BTREE_AM_OID &&
      heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, nullptr) &&
      heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, nullptr);
  if (!is_key) return nullptr;
  auto* key = static_cast<UniqueKey*>(palloc(sizeof(UniqueKey)));
  *key = {RelationGetRelid(index), row->indnkeyatts, nullptr, true};
  key->columns =
      static_cast<KeyPart*>(palloc(sizeof(KeyPart) * static_cast<Size>(row->indnkeyatts)));
  for (int i = 0; i < row->indnkeyatts; ++i) {
    const AttrNumber column = row->indkey.values[i];
    if (column <= 0) return nullptr;
    key->columns[i] = {column, index->rd_opfamily[i], index->rd_indcollation[i]};
    key->without_nulls &= is_never_null(table, column, snapshot);
  }
  return key;
}

}  // namespace

List* unique_keys_of(Oid table, Snapshot snapshot) {
  Relation relation = try_relation_open(table, AccessShareLock);
  if (relation == nullptr) return NIL;
  List* keys = NIL;
  for (const Oid oid : oids(RelationGetIndexList(relation))) {
    Relation index = index_open(oid, AccessShareLock);
    UniqueKey* key = key_of(index, relation, snapshot);
    if (key != nullptr) keys = lappend(keys, key);
    index_close(index, AccessShareLock);
  }
  relation_close(relation, AccessShareLock);
  return keys;
}

bool has_younger_keys(Oid table, Snapshot snapshot) {
  if (snapshot == nullptr) return false;
  Relation relation = try_relation_open(table, AccessShareLock);
  if (relation == nullptr) return true;
  bool has_younger = false;
  for (const Oid oid : oids(RelationGetIndexList(relation))) {
    HeapTuple index = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(oid));
    if (!HeapTupleIsValid(index)) continue;
    const bool is_unique = reinterpret_cast<Form_pg_index>(GETSTRUCT(index))->indisunique;
    has_younger |= is_unique && !is_seen(index, snapshot);
    ReleaseSysCache(index);
  }
  const bool is_part = relation->rd_rel->relispartition;
  relation_close(relation, AccessShareLock);
  if (has_younger || !is_part) return has_younger;
  const Oid whole = get_partition_parent(table, true);
  return OidIsValid(whole) && has_younger_keys(whole, snapshot);
}

const UniqueKey* unique_key_on(Oid table, AttrNumber column, Snapshot snapshot) {
  for (const auto* key : list<UniqueKey>(unique_keys_of(table, snapshot))) {
    if (key->count == 1 && key->columns[0].column == column &&
        key->columns[0].family == own_family(table, column)) {
      return key;
    }
  }
  return nullptr;
}

bool has_one_text(Oid table, AttrNumber column) {
  Oid type = InvalidOid;
  int32 typmod = -1;
  Oid collation = InvalidOid;
  get_atttypetypmodcoll(table, column, &type, &typmod, &collation);
  bool has_one = is_deterministic(collation);
  for (const auto* key : list<UniqueKey>(unique_keys_of(table, nullptr))) {
    const bool is_on_it = key->count == 1 && key->columns[0].column == column;
    has_one &= !is_on_it || is_deterministic(key->columns[0].collation);
  }
  return has_one;
}

bool is_not_null(Oid table, AttrNumber column, Snapshot snapshot) {
  Relation relation = try_relation_open(table, AccessShareLock);
  if (relation == nullptr) return false;
  const bool never = is_never_null(relation, column, snapshot);
  relation_close(relation, AccessShareLock);
  return never;
}

bool was_part_of(Oid partition, Oid whole, Snapshot snapshot) {
  while (partition != whole) {
    // attaching it wrote this row
    if (!is_seen_and_gone(SearchSysCache1(RELOID, ObjectIdGetDatum(partition)), snapshot) ||
        !get_rel_relispartition(partition)) {
      return false;
    }
    partition = get_partition_parent(partition, true);
  }
  return true;
}

List* primary_key_of(Oid table) {
  Oid constraint = InvalidOid;
  const Bitmapset* columns = get_primary_key_attnos(table, false, &constraint);
  List* numbers = NIL;
  for (int i = -1; (i = bms_next_member(columns, i)) >= 0;) {
    numbers = lappend_int(numbers, i + FirstLowInvalidHeapAttributeNumber);
  }
  return numbers;
}

bool has_exact_equality(Oid type, int32 typmod, Oid collation) {
  switch (type) {
    case BOOLOID:
    case INT2OID:
    case INT4OID:
    case INT8OID:
    case OIDOID:
    case CHAROID:
    case BYTEAOID:
    case UUIDOID:
    case DATEOID:
    case TIMEOID:
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
      return true;
    case NUMERICOID:
      return typmod >= 0;  // all of one scale
    case BPCHAROID:        // all of one length
      return typmod >= 0 && OidIsValid(collation) && get_collation_isdeterministic(collation);
    case NAMEOID:
    case TEXTOID:
    case VARCHAROID:
      return OidIsValid(collation) && get_collation_isdeterministic(collation);
    default:
      return get_typtype(type) == TYPTYPE_ENUM;
  }
}

bool has_one_form(Oid type, int32 typmod, Oid collation) {
  switch (type) {
    case BOOLOID:
    case INT2OID:
    case INT4OID:
    case INT8OID:
    case DATEOID:
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
    case UUIDOID:
      return true;
    case NUMERICOID:  // with as many digits behind the point in all of them
      return typmod >= static_cast<int32>(VARHDRSZ);
    case BPCHAROID:  // blanks make all of one length
      return typmod >= 0 && get_collation_isdeterministic(collation);
    case TEXTOID:
    case VARCHAROID:
      return get_collation_isdeterministic(collation);
    default:
      return get_typtype(type) == TYPTYPE_ENUM;
  }
}

bool is_hashed_as_equal(Oid type, Oid collation) {
  check_stack_depth();
  type = getBaseType(type);
  const Oid element = get_element_type(type);
  if (OidIsValid(element)) return is_hashed_as_equal(element, collation);
  if (type == RECORDOID) return false;  // of which columns is not known
  switch (get_typtype(type)) {
    case TYPTYPE_COMPOSITE: {
      TupleDesc columns = lookup_rowtype_tupdesc(type, -1);
      bool all = true;
      for (int i = 0; all && i < columns->natts; ++i) {
        const FormData_pg_attribute* column = TupleDescAttr(columns, i);
        all = column->attisdropped || is_hashed_as_equal(column->atttypid, column->attcollation);
      }
      ReleaseTupleDesc(columns);
      return all;
    }
    case TYPTYPE_MULTIRANGE:
      return is_hashed_as_equal(get_multirange_range(type), InvalidOid);
    case TYPTYPE_RANGE:
      return is_hashed_as_equal(get_range_subtype(type), get_range_collation(type));
    default:
      return is_deterministic(collation) || type == TEXTOID || type == VARCHAROID ||
             type == BPCHAROID;
  }
}

bool is_equality_of(Oid family, Oid op, Oid collation) {
  if (!is_deterministic(collation)) return false;
  // two local times can be one instant of a time zone
  if (op_volatile(op) != PROVOLATILE_IMMUTABLE) return false;
  return get_op_opfamily_strategy(op, family) == BTEqualStrategyNumber;
}

Reference reference_of(Oid table, AttrNumber column, Oid parent, AttrNumber wanted,
                       Snapshot snapshot, AttrNumber* referenced) {
  Relation catalog = table_open(ConstraintRelationId, AccessShareLock);
  ScanKeyData key;
  ScanKeyInit(&key, Anum_pg_constraint_conrelid, BTEqualStrategyNumber, F_OIDEQ,
              ObjectIdGetDatum(table));
  SysScanDesc scan =
      systable_beginscan(catalog, ConstraintRelidTypidNameIndexId, true, nullptr, 1, &key);
  Reference found = Reference::kNone;
  HeapTuple tuple;
  while (HeapTupleIsValid(tuple = systable_getnext(scan))) {
    const auto* row = reinterpret_cast<Form_pg_constraint>(GETSTRUCT(tuple));
    if (row->contype != CONSTRAINT_FOREIGN || row->confrelid != parent) continue;
    int count = 0;
    AttrNumber from[INDEX_MAX_KEYS];
    AttrNumber to[INDEX_MAX_KEYS];
    Oid operators[INDEX_MAX_KEYS];
    read_foreign_key(tuple, &count, from, to, operators);
    if (count != 1 || from[0] != column) continue;
    if (wanted != InvalidAttrNumber && to[0] != wanted) {
      if (found == Reference::kNone) found = Reference::kOtherColumn;
      continue;
    }
    Reference one = !row->convalidated || !is_seen(tuple, snapshot) ? Reference::kNotValid
                    : row->condeferrable                            ? Reference::kDeferrable
                    // a date is another instant in each time zone
                    : op_volatile(operators[0]) != PROVOLATILE_IMMUTABLE ? Reference::kUnsteady
                    : compares_as_columns_do(row->conindid, table, column, parent, to[0])
                        ? Reference::kSound
                        : Reference::kOtherEquality;
    if (!is_enforced(row)) one = Reference::kNotEnforced;
    if (found == Reference::kSound && one != Reference::kSound) continue;
    if (found == Reference::kSound && to[0] != *referenced) {
      found = Reference::kAmbiguous;
      break;
    }
    *referenced = to[0];
    found = one;
  }
  systable_endscan(scan);
  table_close(catalog, AccessShareLock);
  return found;
}

}  // namespace idp
