// Rows of the ledger and of stored releases, written so that nothing takes them back.
//
// A row of an ordinary INSERT lives and dies with the transaction that wrote it, and an answer that
// was seen before a ROLLBACK would be free. Here a row is frozen once it is there with all its
// index entries (extension/catalog/frozen_row.h): every snapshot sees it at once, an abort of the
// transaction, of a savepoint or of a function's exception block leaves it alone, and replay after
// a crash brings it back. make_durable() then waits until it is on disk. No second transaction,
// process or connection is needed, so it works in READ ONLY transactions and in the leader of a
// parallel plan; it cannot work on a standby or in a parallel worker, which may not write.
//
// The price is that such rows are append-only: whatever changes is a new row, and readers take the
// last. They are read as of now, whatever snapshot the query has.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "access/genam.h"
#include "access/skey.h"
#include "storage/lock.h"
}

namespace idp {

enum class Table { kAccount, kLink, kRoleLimit, kChain, kLevel, kCharge, kAnswer };

// Whether the catalog tables are there: they are not if the extension was not updated yet.
bool store_exists();

// An object that serialises writers, in the sense of the server's heavyweight locks.
class StoreLock {
 public:
  StoreLock(Table table, uint32 object);
  // Released at the end of the transaction, or of the subtransaction, if an error prevents this.
  void release();

 private:
  LOCKTAG tag_;
  bool held_;
};

// Fails unless rows can be written here and now. Gives the transaction its number, which cannot be
// done once a parallel plan runs.
void prepare_to_write();

// In the ordinary way, with the transaction: inserts a row into a table of schema idp, or updates
// the one at a place, as a command of its own, which the next one sees; and deletes one.
void write_row(const char* table, ItemPointer place, Datum* values, bool* nulls);
void delete_row(Table table, ItemPointerData place);

// Deletes a row with the transaction, and says whether it did: not if somebody else is about to,
// nor in parallel plans, which may not.
bool try_to_delete_row(Table table, ItemPointerData place);

// Inserts a row for good; as many values as the table has columns.
void insert_row(Table table, Datum* values, bool* nulls);

// Waits until everything this transaction inserted so far is on disk, and on synchronous standbys.
void make_durable();

// The same for what any transaction inserted, up to a position of the write-ahead log. Rows are
// seen before they are on disk: who gives an answer from one waits for StoreScan::written().
void make_durable(XLogRecPtr written);

// False if a table has no rows, as it takes up no space.
bool may_have_rows(Table table);

// Whether it takes up one page at most: then all rows are read sooner than some by an index.
bool fits_page(Table table);

// The rows whose column equals a key, by an index on (column, …), in the order of the index.
class StoreScan {
 public:
  enum class Order { kForward, kBackward };
  // index: name of the index. Keys are for its first columns, key_columns in the table.
  StoreScan(Table table, const char* index, Order order = Order::kForward);
  // All rows, as they lie: without an index, and without keys.
  explicit StoreScan(Table table);
  void add_key(AttrNumber column, RegProcedure equal, Datum value, Oid collation = InvalidOid);
  // The rows whose column has one of these texts.
  void add_texts(AttrNumber column, const List* texts);
  // The rows whose column compares so, by the strategy that the operator has in the index.
  void add_bound(AttrNumber column, StrategyNumber strategy, RegProcedure compare, Datum value,
                 Oid collation = InvalidOid);
  // Copies the next row into values and nulls, in the current context or still in the scan's
  // buffer: valid until the next call or close(). False at the end.
  bool next(Datum* values, bool* nulls);
  // A position that the row was written before.
  XLogRecPtr written() const { return written_; }
  ItemPointerData place() const { return place_; }
  void close();

 private:
  static constexpr int kMaxKeys = 3;
  Relation table_;
  Relation index_;  // null if all rows are read
  Order order_;
  ScanKeyData keys_[kMaxKeys];
  int key_count_ = 0;
  Snapshot snapshot_;
  SysScanDesc scan_ = nullptr;
  ItemPointerData place_;
  XLogRecPtr written_ = InvalidXLogRecPtr;
};

}  // namespace idp
