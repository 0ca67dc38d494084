#include "extension/catalog/store.h"

#include <sched.h>

#include "extension/catalog/columns.h"
#include "extension/catalog/frozen_row.h"
#include "extension/pg/session_check.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/remembered.h"

extern "C" {
#include "access/genam.h"
#include "access/heapam.h"
#include "access/parallel.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "storage/lwlock.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
}

namespace idp {

namespace {

constexpr char kSchema[] = "idp";

const char* name_of(Table table) {
  switch (table) {
    case Table::kAccount:
      return "account";
    case Table::kLink:
      return "link";
    case Table::kRoleLimit:
      return "role_limit";
    case Table::kChain:
      return "chain";
    case Table::kLevel:
      return "chain_level";
    case Table::kCharge:
      return "charge";
    case Table::kAnswer:
      return "answer";
  }
  pg_unreachable();
}

int columns_of(Table table) {
  switch (table) {
    case Table::kAccount:
      return account_column::kCount;
    case Table::kLink:
      return link_column::kCount;
    case Table::kRoleLimit:
      return role_limit_column::kCount;
    case Table::kChain:
      return chain_column::kCount;
    case Table::kLevel:
      return level_column::kCount;
    case Table::kCharge:
      return charge_column::kCount;
    case Table::kAnswer:
      return answer_column::kCount;
  }
  pg_unreachable();
}

// The library may be newer than the tables, or older: that of a session which has not connected
// since the extension was updated.
void require_known_columns(Table table, Oid relation) {
  const int count = column_count(relation);
  const int known = columns_of(table);
  // what an earlier version made lacks what that did not know
  const bool may_lack =
      table == Table::kAccount || table == Table::kCharge || table == Table::kLink;
  if (count == known || (count < known && may_lack)) return;
  ereport(ERROR,
          (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
           errmsg("extension idp and its library are of different versions"),
           count < known ? errhint("Run ALTER EXTENSION idp UPDATE.") : errhint("Connect again.")));
}

Oid relation_named(const char* name, bool missing_ok) {
  const Oid schema = get_namespace_oid(kSchema, true);
  const Oid relation = OidIsValid(schema) ? get_relname_relid(name, schema) : InvalidOid;
  if (!OidIsValid(relation) && !missing_ok) {
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
                    errmsg("relation \"%s.%s\" does not exist", kSchema, name),
                    errhint("Run ALTER EXTENSION idp UPDATE.")));
  }
  return relation;
}

// The table, if it has the columns that are known here.
Oid known_table(Table table) {
  const Oid relation = relation_named(name_of(table), false);
  require_known_columns(table, relation);
  return relation;
}

// The end of the last row written here, and whether the transaction had then written nothing else.
// Once such rows are on disk the commit of the transaction has nothing to wait for, and a charge
// costs one wait, not two.
XLogRecPtr end_of_ours = InvalidXLogRecPtr;
bool only_ours = false;

}  // namespace

bool store_exists() { return OidIsValid(relation_named(name_of(Table::kAccount), true)); }

// During recovery nothing is written, and nothing can be locked so: what a query would cost is
// read.
StoreLock::StoreLock(Table table, uint32 object) : held_(!RecoveryInProgress()) {
  if (!held_) return;
  SET_LOCKTAG_OBJECT(tag_, MyDatabaseId, relation_named(name_of(table), false), object, 0);
  // It is held for some microseconds, much less than it takes to fall asleep and be woken.
  constexpr int kPatience = 100;
  for (int i = 0; i < kPatience; ++i) {
    if (LockAcquire(&tag_, ExclusiveLock, false, true) != LOCKACQUIRE_NOT_AVAIL) return;
    (void)sched_yield();
  }
  (void)LockAcquire(&tag_, ExclusiveLock, false, false);
}

void StoreLock::release() {
  if (held_) (void)LockRelease(&tag_, ExclusiveLock, false);
}

void prepare_to_write() {
  require_session();
  if (RecoveryInProgress()) {
    ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
                    errmsg("private answers cannot be charged or stored during recovery"),
                    errhint("Ask the primary server.")));
  }
  if (IsParallelWorker() ||
      (IsInParallelMode() && !TransactionIdIsValid(GetCurrentTransactionIdIfAny()))) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_TRANSACTION_STATE),
             errmsg("private answers cannot be charged or stored during a parallel operation"),
             errhint("A function that asks for private answers is PARALLEL UNSAFE.")));
  }
  (void)GetCurrentTransactionId();
}

void insert_row(Table table, Datum* values, bool* nulls) {
  only_ours = XactLastRecEnd == 0 || (only_ours && XactLastRecEnd == end_of_ours);
  insert_frozen_row(known_table(table), values, nulls);
  end_of_ours = XactLastRecEnd;
}

void write_row(const char* table, ItemPointer place, Datum* values, bool* nulls) {
  forget_remembered();
  Relation relation = table_open(own_relation(table), RowExclusiveLock);
  HeapTuple tuple = heap_form_tuple(RelationGetDescr(relation), values, nulls);
  if (place == nullptr) {
    CatalogTupleInsert(relation, tuple);
  } else {
    CatalogTupleUpdate(relation, place, tuple);
  }
  heap_freetuple(tuple);
  table_close(relation, NoLock);
  CommandCounterIncrement();
}

void delete_row(Table table, ItemPointerData place) {
  forget_remembered();
  Relation relation = table_open(relation_named(name_of(table), false), RowExclusiveLock);
  simple_heap_delete(relation, &place);
  table_close(relation, NoLock);
  CommandCounterIncrement();
}

bool try_to_delete_row(Table table, ItemPointerData place) {
  if (IsInParallelMode()) return false;
  Relation relation = table_open(relation_named(name_of(table), false), RowExclusiveLock);
  TM_FailureData failure;
  const TM_Result result = heap_delete(relation, &place, GetCurrentCommandId(true), InvalidSnapshot,
                                       false, &failure, false);
  table_close(relation, RowExclusiveLock);
  return result == TM_Ok;
}

namespace {

// Whether standbys have confirmed what synchronous_commit asks them for.
bool is_replicated(XLogRecPtr end) {
#ifdef SYNC_STANDBY_DEFINED  // since 18.0, 17.5, 16.9 …
  const bool any = (WalSndCtl->sync_standbys_status & SYNC_STANDBY_DEFINED) != 0;
#else
  const bool any = WalSndCtl->sync_standbys_defined;
#endif
  if (!SyncRepRequested() || !any) return true;
  const int mode = synchronous_commit == SYNCHRONOUS_COMMIT_REMOTE_WRITE   ? SYNC_REP_WAIT_WRITE
                   : synchronous_commit == SYNCHRONOUS_COMMIT_REMOTE_APPLY ? SYNC_REP_WAIT_APPLY
                                                                           : SYNC_REP_WAIT_FLUSH;
  LWLockAcquire(SyncRepLock, LW_SHARED);
  const bool confirmed = end <= WalSndCtl->lsn[mode];
  LWLockRelease(SyncRepLock);
  return confirmed;
}

void wait_for(XLogRecPtr end) {
  XLogFlush(end);
  hold_interrupts();  // as at a commit
  SyncRepWaitForLSN(end, true);
  resume_interrupts();
  // The server gives up waiting when the query is cancelled, as a commit cannot be undone; an
  // answer can be kept back.
  if (is_replicated(end)) return;
  ereport(ERROR,
          (errcode(ERRCODE_QUERY_CANCELED),
           errmsg("private answer is not given before standbys have its charge"),
           errdetail("The charge stays."),
           errhint("See that the standbys of \"synchronous_standby_names\" are connected.")));
}

}  // namespace

void make_durable() {
  const XLogRecPtr end = XactLastRecEnd;
  wait_for(end);
  if (only_ours && end == end_of_ours) XactLastRecEnd = 0;
}

void make_durable(XLogRecPtr written) {
  if (!RecoveryInProgress()) wait_for(written);
}

namespace {

// The end of the last change to the page that a scan has stopped at.
XLogRecPtr last_change(SysScanDesc scan) {
  if (!TTS_IS_BUFFERTUPLE(scan->slot)) elog(ERROR, "the catalog of extension idp is not in heaps");
  const Buffer buffer = reinterpret_cast<BufferHeapTupleTableSlot*>(scan->slot)->buffer;
  LockBuffer(buffer, BUFFER_LOCK_SHARE);
  const XLogRecPtr end = PageGetLSN(BufferGetPage(buffer));
  LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
  return end;
}

}  // namespace

namespace {

BlockNumber pages_of(Table table) {
  Relation relation = table_open(known_table(table), AccessShareLock);
  const BlockNumber pages = RelationGetNumberOfBlocks(relation);
  table_close(relation, AccessShareLock);
  return pages;
}

}  // namespace

bool may_have_rows(Table table) { return pages_of(table) > 0; }
bool fits_page(Table table) { return pages_of(table) <= 1; }

namespace {

// What owners change as rows of any table is read as of one moment, now: null is that to the
// server. As the newest versions that are met (SnapshotSelf), a row that somebody changes meanwhile
// could be in neither version, and its account would not be charged. What answers write is frozen,
// and there for everybody at once.
Snapshot snapshot_for(Table table) {
  const bool is_of_owners =
      table == Table::kAccount || table == Table::kLink || table == Table::kRoleLimit;
  return is_of_owners ? nullptr : SnapshotSelf;
}

}  // namespace

StoreScan::StoreScan(Table table)
    : table_(table_open(known_table(table), AccessShareLock)),
      index_(nullptr),
      order_(Order::kForward),
      snapshot_(snapshot_for(table)) {}

StoreScan::StoreScan(Table table, const char* index, Order order)
    : table_(table_open(known_table(table), AccessShareLock)),
      index_(index_open(relation_named(index, false), AccessShareLock)),
      order_(order),
      snapshot_(snapshot_for(table)) {}

void StoreScan::add_key(AttrNumber column, RegProcedure equal, Datum value, Oid collation) {
  add_bound(column, BTEqualStrategyNumber, equal, value, collation);
}

void StoreScan::add_texts(AttrNumber column, const List* texts) {
  Assert(key_count_ < kMaxKeys);
  auto* values = static_cast<Datum*>(palloc(sizeof(Datum) * static_cast<Size>(list_length(texts))));
  int count = 0;
  for (auto* text : list<char>(texts)) values[count++] = CStringGetTextDatum(text);
  ArrayType* array = construct_array(values, count, TEXTOID, -1, false, TYPALIGN_INT);
  ScanKeyEntryInitialize(&keys_[key_count_], SK_SEARCHARRAY, column, BTEqualStrategyNumber,
                         InvalidOid, C_COLLATION_OID, F_TEXTEQ, PointerGetDatum(array));
  ++key_count_;
}

void StoreScan::add_bound(AttrNumber column, StrategyNumber strategy, RegProcedure compare,
                          Datum value, Oid collation) {
  Assert(key_count_ < kMaxKeys);
  ScanKeyEntryInitialize(&keys_[key_count_], 0, column, strategy, InvalidOid, collation, compare,
                         value);
  ++key_count_;
}

bool StoreScan::next(Datum* values, bool* nulls) {
  if (scan_ == nullptr) {
    scan_ = index_ == nullptr
                ? systable_beginscan(table_, InvalidOid, false, snapshot_, 0, nullptr)
                : systable_beginscan_ordered(table_, index_, snapshot_, key_count_, keys_);
  }
  const auto direction = order_ == Order::kForward ? ForwardScanDirection : BackwardScanDirection;
  HeapTuple tuple =
      index_ == nullptr ? systable_getnext(scan_) : systable_getnext_ordered(scan_, direction);
  if (!HeapTupleIsValid(tuple)) return false;
  heap_deform_tuple(tuple, RelationGetDescr(table_), values, nulls);
  place_ = tuple->t_self;
  written_ = last_change(scan_);
  return true;
}

void StoreScan::close() {
  if (index_ == nullptr) {
    if (scan_) systable_endscan(scan_);
  } else {
    if (scan_) systable_endscan_ordered(scan_);
    index_close(index_, AccessShareLock);
  }
  table_close(table_, AccessShareLock);
}

}  // namespace idp
