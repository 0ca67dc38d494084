#include "extension/catalog/frozen_row.h"

#include "extension/pg/nodes.h"
#include "extension/pg/versions.h"

extern "C" {
#include "access/detoast.h"
#include "access/genam.h"
#include "access/generic_xlog.h"
#include "access/heapam.h"
#include "access/heaptoast.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/toast_internals.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "catalog/pg_am.h"
#include "executor/tuptable.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"
}

namespace idp {

namespace {

// --- what a rollback would take back ---

// Whether the transaction made the table or index, or what it is stored in, or has a lock on it as
// nobody needs who only writes rows: then it may have changed what there is to write to.
bool is_changed_here(Relation relation) {
  // What is new altogether goes as a whole, with the accounts that are in it.
  return first_rewrite_of(relation) != InvalidSubTransactionId ||
         (relation->rd_createSubid == InvalidSubTransactionId &&
          CheckRelationLockedByMe(relation, ShareLock, true));
}

void require_lasting(Relation relation) {
  if (relation->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT) {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("private answers cannot be charged or stored in \"%s\"",
                    RelationGetRelationName(relation)),
             errdetail("A crash would empty it."),
             errhint("Run ALTER TABLE idp.%s SET LOGGED.", RelationGetRelationName(relation))));
  }
  if (!is_changed_here(relation)) return;
  ereport(
      ERROR,
      (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
       errmsg("private answers cannot be charged or stored after the transaction changed \"%s\"",
              RelationGetRelationName(relation)),
       errdetail("A rollback would take them back."), errhint("Commit that change first.")));
}

// --- entries of indexes ---

// The one kind of partial index there is: of rows whose first key is not null.
bool is_of_first_key(const IndexInfo* info) {
  if (list_length(info->ii_Predicate) != 1) return false;
  auto* test = static_cast<NullTest*>(linitial(info->ii_Predicate));
  return IsA(test, NullTest) && test->nulltesttype == IS_NOT_NULL && IsA(test->arg, Var) &&
         as<Var>(test->arg)->varattno == info->ii_IndexAttrNumbers[0];
}

void require_understood(Relation index, const IndexInfo* info) {
  if (index->rd_rel->relam == BTREE_AM_OID && info->ii_Expressions == NIL &&
      info->ii_ExclusionOps == nullptr && (info->ii_Predicate == NIL || is_of_first_key(info))) {
    return;
  }
  ereport(ERROR,
          (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
           errmsg("private answers cannot be charged or stored with index \"%s\"",
                  RelationGetRelationName(index)),
           errdetail("It is not one of extension idp, nor like one."), errhint("Drop the index.")));
}

void insert_entry(Relation relation, Relation index, HeapTuple tuple, TupleTableSlot* slot) {
  require_lasting(index);
  IndexInfo* info = BuildIndexInfo(index);
  require_understood(index, info);
  Datum keys[INDEX_MAX_KEYS];
  bool nulls[INDEX_MAX_KEYS];
  FormIndexDatum(info, slot, nullptr, keys, nulls);
  if (info->ii_Predicate == NIL || !nulls[0]) {
    const IndexUniqueCheck check =
        index->rd_index->indisunique ? UNIQUE_CHECK_YES : UNIQUE_CHECK_NO;
    (void)index_insert(index, keys, nulls, &tuple->t_self, relation, check, false, info);
  }
  pfree(info);
}

// Returns the indexes that have an entry now and whose build is not over.
List* insert_entries(Relation relation, HeapTuple tuple) {
  TupleTableSlot* slot = MakeSingleTupleTableSlot(RelationGetDescr(relation), &TTSOpsHeapTuple);
  ExecStoreHeapTuple(tuple, slot, false);
  List* unfinished = NIL;
  List* indexes = RelationGetIndexList(relation);
  for (const Oid oid : oids(indexes)) {
    Relation index = index_open(oid, RowExclusiveLock);
    if (index->rd_index->indisready) {
      if (!index->rd_index->indisvalid) unfinished = lappend_oid(unfinished, oid);
      insert_entry(relation, index, tuple, slot);
    }
    index_close(index, NoLock);
  }
  list_free(indexes);
  ExecDropSingleTupleTableSlot(slot);
  return unfinished;
}

// --- indexes that are being built ---

bool holds(const LockInstanceData& lock, Oid relation, LOCKMODE mode) {
  return lock.locktag.locktag_type == LOCKTAG_RELATION &&
         lock.locktag.locktag_field1 == MyDatabaseId && lock.locktag.locktag_field2 == relation &&
         (lock.holdMask & LOCKBIT_ON(mode)) != 0;
}

// A validation has both locks while it is at work, and VACUUM, for which we wait too.
bool is_being_validated(Oid table, const List* indexes) {
  const LockData* all = GetLockStatusData();
  for (int i = 0; i < all->nelements; ++i) {
    const LockInstanceData& lock = all->locks[i];
    if (!holds(lock, table, ShareUpdateExclusiveLock)) continue;
    for (int j = 0; j < all->nelements; ++j) {
      if (all->locks[j].pid != lock.pid) continue;
      for (const Oid oid : oids(indexes)) {
        if (holds(all->locks[j], oid, RowExclusiveLock)) return true;
      }
    }
  }
  return false;
}

void await_validation(Oid table, const List* unfinished) {
  if (unfinished == NIL) return;
  MemoryContext context =
      AllocSetContextCreate(CurrentMemoryContext, "idp locks", ALLOCSET_DEFAULT_SIZES);
  MemoryContext before = MemoryContextSwitchTo(context);
  constexpr long kMicroseconds = 1000;
  while (is_being_validated(table, unfinished)) {
    CHECK_FOR_INTERRUPTS();
    pg_usleep(kMicroseconds);
    MemoryContextReset(context);
  }
  MemoryContextSwitchTo(before);
  MemoryContextDelete(context);
}

// --- large values ---

// The rows that hold what was moved out of a row.
struct Chunks {
  Relation table = nullptr;
  ItemPointerData* places = nullptr;
  int count = 0;
};

void find_chunks_of(Relation index, const varatt_external& value, Chunks* chunks) {
  const int32 size = VARATT_EXTERNAL_GET_EXTSIZE(value);
  const int last = chunks->count + (size - 1) / static_cast<int32>(TOAST_MAX_CHUNK_SIZE) + 1;
  const Size room = sizeof(ItemPointerData) * static_cast<Size>(last);
  chunks->places =
      static_cast<ItemPointerData*>(chunks->places ? repalloc(chunks->places, room) : palloc(room));
  ScanKeyData key;
  ScanKeyInit(&key, 1, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(value.va_valueid));
  SysScanDesc scan = systable_beginscan_ordered(chunks->table, index, SnapshotSelf, 1, &key);
  while (HeapTuple chunk = systable_getnext_ordered(scan, ForwardScanDirection)) {
    if (chunks->count < last) chunks->places[chunks->count] = chunk->t_self;
    ++chunks->count;
  }
  systable_endscan_ordered(scan);
  if (chunks->count != last) elog(ERROR, "value %u is not whole", value.va_valueid);
}

// Opens their table too, if there are any.
void find_chunks(Relation relation, ItemPointer place, Chunks* chunks) {
  TupleTableSlot* row = table_slot_create(relation, nullptr);
  if (!table_tuple_fetch_row_version(relation, place, SnapshotSelf, row)) {
    elog(ERROR, "row of \"%s\" is lost", RelationGetRelationName(relation));
  }
  slot_getallattrs(row);
  Relation* indexes = nullptr;
  int count = 0, valid = 0;
  for (int i = 0; i < RelationGetDescr(relation)->natts; ++i) {
    if (row->tts_isnull[i] || TupleDescAttr(RelationGetDescr(relation), i)->attlen != -1) continue;
    auto* attribute = reinterpret_cast<varlena*>(DatumGetPointer(row->tts_values[i]));
    if (!VARATT_IS_EXTERNAL_ONDISK(attribute)) continue;
    varatt_external value;
    VARATT_EXTERNAL_GET_POINTER(value, attribute);
    if (chunks->table == nullptr) {
      chunks->table = table_open(value.va_toastrelid, RowExclusiveLock);
      require_lasting(chunks->table);
      valid = toast_open_indexes(chunks->table, RowExclusiveLock, &indexes, &count);
    }
    find_chunks_of(indexes[valid], value, chunks);
  }
  ExecDropSingleTupleTableSlot(row);
  if (chunks->table == nullptr) return;
  List* unfinished = NIL;
  for (int i = 0; i < count; ++i) {
    require_lasting(indexes[i]);
    if (!indexes[i]->rd_index->indisvalid) {
      unfinished = lappend_oid(unfinished, RelationGetRelid(indexes[i]));
    }
  }
  toast_close_indexes(indexes, count, NoLock);
  await_validation(RelationGetRelid(chunks->table), unfinished);
}

// --- the mark ---

// Each page by a record of the write-ahead log of its own, after those of the indexes.
void freeze(Relation relation, const ItemPointerData* places, int count) {
  for (int i = 0; i < count;) {
    const BlockNumber block = ItemPointerGetBlockNumber(&places[i]);
    Buffer buffer = ReadBuffer(relation, block);
    LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    GenericXLogState* log = GenericXLogStart(relation);
    Page page = GenericXLogRegisterBuffer(log, buffer, 0);
    for (; i < count && ItemPointerGetBlockNumber(&places[i]) == block; ++i) {
      ItemId item = PageGetItemId(page, ItemPointerGetOffsetNumber(&places[i]));
      auto* header = reinterpret_cast<HeapTupleHeader>(PageGetItem(page, item));
      if (!ItemIdIsNormal(item) || HeapTupleHeaderXminInvalid(header) ||
          HeapTupleHeaderGetRawXmin(header) != GetCurrentTransactionIdIfAny()) {
        elog(ERROR, "row of \"%s\" is not ours", RelationGetRelationName(relation));
      }
      HeapTupleHeaderSetXminFrozen(header);
    }
    (void)GenericXLogFinish(log);
    UnlockReleaseBuffer(buffer);
  }
}

}  // namespace

void insert_frozen_row(Oid table, Datum* values, bool* nulls) {
  // Has the locks that are taken here, those that the server takes for large values too.
  ResourceOwner outer = CurrentResourceOwner;
  ResourceOwner locks = ResourceOwnerCreate(outer, "idp row");
  CurrentResourceOwner = locks;

  Relation relation = table_open(table, RowExclusiveLock);
  require_lasting(relation);
  HeapTuple tuple = heap_form_tuple(RelationGetDescr(relation), values, nulls);
  const bool may_be_moved = tuple->t_len > TOAST_TUPLE_THRESHOLD;
  heap_insert(relation, tuple, FirstCommandId, 0, nullptr);
  List* unfinished = insert_entries(relation, tuple);
  Chunks chunks;
  if (may_be_moved) find_chunks(relation, &tuple->t_self, &chunks);
  await_validation(table, unfinished);

  hold_interrupts();  // so that chunks are not frozen in vain
  if (chunks.table) freeze(chunks.table, chunks.places, chunks.count);
  freeze(relation, &tuple->t_self, 1);
  resume_interrupts();

  if (chunks.table) table_close(chunks.table, NoLock);
  if (chunks.places) pfree(chunks.places);
  list_free(unfinished);
  heap_freetuple(tuple);
  table_close(relation, NoLock);
  CurrentResourceOwner = outer;
  ResourceOwnerRelease(locks, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
  ResourceOwnerRelease(locks, RESOURCE_RELEASE_LOCKS, false, false);
  ResourceOwnerRelease(locks, RESOURCE_RELEASE_AFTER_LOCKS, false, false);
  ResourceOwnerDelete(locks);
}

}  // namespace idp
