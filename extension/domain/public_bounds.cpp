#include "extension/domain/public_bounds.h"

#include "extension/domain/asked_keys.h"
#include "extension/domain/domain.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

uint64 times_read = 0;

// Of all parts of a table; more take too long to read for each plan.
constexpr BlockNumber kMostPages = 1024;

struct Extremes {
  TypeCacheEntry* type;
  Oid collation;
  MemoryContext kept;  // of the values
  bool any = false;
  Datum lower = 0;
  Datum upper = 0;

  int compare(Datum a, Datum b) const {
    return DatumGetInt32(FunctionCall2Coll(&type->cmp_proc_finfo, collation, a, b));
  }
  void take(Datum value) {
    if (!any || compare(value, lower) < 0) lower = copy(value);
    if (!any || compare(value, upper) > 0) upper = copy(value);
    any = true;
  }
  Datum copy(Datum value) const {
    const MemoryContext before = MemoryContextSwitchTo(kept);
    const Datum copied = datumCopy(value, type->typbyval, type->typlen);
    MemoryContextSwitchTo(before);
    return copied;
  }
};

void read_column(Relation table, AttrNumber column, Snapshot snapshot, Extremes* extremes) {
  const MemoryContext row =
      AllocSetContextCreate(CurrentMemoryContext, "idp public bounds", ALLOCSET_SMALL_SIZES);
  TupleTableSlot* slot = table_slot_create(table, nullptr);
  TableScanDesc scan = table_beginscan(table, snapshot, 0, nullptr);
  while (table_scan_getnextslot(scan, ForwardScanDirection, slot)) {
    CHECK_FOR_INTERRUPTS();
    const MemoryContext before = MemoryContextSwitchTo(row);
    bool is_null = false;
    Datum value = slot_getattr(slot, column, &is_null);
    if (!is_null && extremes->type->typlen == -1) value = PointerGetDatum(PG_DETOAST_DATUM(value));
    if (!is_null) extremes->take(value);
    MemoryContextSwitchTo(before);
    MemoryContextReset(row);
  }
  table_endscan(scan);
  ExecDropSingleTupleTableSlot(slot);
  MemoryContextDelete(row);
}

// False if it holds no value, or is too large.
bool read_bounds(Oid table, AttrNumber number, Datum* lower, Datum* upper) {
  const Snapshot snapshot = snapshot_at_work();
  TypeCacheEntry* type = lookup_type_cache(get_atttype(table, number), TYPECACHE_CMP_PROC_FINFO);
  if (snapshot == nullptr || !OidIsValid(type->cmp_proc_finfo.fn_oid)) return false;
  const char* name = get_attname(table, number, false);
  Extremes extremes{type, InvalidOid, CurrentMemoryContext};
  BlockNumber pages = 0;
  for (const Oid part : oids(find_all_inheritors(table, AccessShareLock, nullptr))) {
    Relation relation = table_open(part, NoLock);
    const bool has_rows = relation->rd_rel->relkind == RELKIND_RELATION;
    const bool is_known = has_rows || relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE;
    if (has_rows) pages += RelationGetNumberOfBlocks(relation);
    const bool is_read = is_known && pages <= kMostPages;
    if (has_rows && is_read) read_column(relation, get_attnum(part, name), snapshot, &extremes);
    table_close(relation, NoLock);
    if (!is_read) return false;
  }
  *lower = extremes.lower;
  *upper = extremes.upper;
  return extremes.any;
}

// Types of numbers and times, whose values the server itself compares.
bool is_of_numbers_or_times(Oid type) {
  switch (type) {
    case INT2OID:
    case INT4OID:
    case INT8OID:
    case NUMERICOID:
    case FLOAT4OID:
    case FLOAT8OID:
    case DATEOID:
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
    case TIMEOID:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool known_bounds(const QueryLevel& level, Node* column, Datum* lower, Datum* upper) {
  const TableColumn origin = column_of_whole(origin_of(level, column));
  if (OidIsValid(origin.table) && bounds_of(origin.table, origin.number, lower, upper)) return true;
  const auto* given = maybe<Var>(column);
  if (given == nullptr || given->varlevelsup > 0 || given->varattno <= 0 ||
      !is_of_numbers_or_times(given->vartype)) {
    return false;
  }
  const TableColumn read = public_column(level.query, given);
  if (!OidIsValid(read.table) || get_atttype(read.table, read.number) != given->vartype) {
    return false;
  }
  ++times_read;
  return read_bounds(read.table, read.number, lower, upper);
}

PublicBoundsWatch::PublicBoundsWatch() : before_(times_read) {}

void PublicBoundsWatch::end(PlannedStmt* plan) {
  if (times_read != before_) plan->transientPlan = true;
}

}  // namespace idp
