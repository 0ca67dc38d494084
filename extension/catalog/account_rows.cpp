#include "extension/catalog/account_rows.h"

#include <algorithm>

#include "extension/catalog/changed_rules.h"
#include "extension/catalog/column_reference.h"
#include "extension/catalog/store.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_collation.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
}

namespace idp {

namespace {

using namespace account_column;

constexpr char kAccountTable[] = "account";
constexpr char kEndTable[] = "account_end";

// Columns of idp.account_end.
namespace end_column {
enum { kAccount, kOwner, kCount };
}

constexpr int kVarlena[] = {kName, kOwner, kBudget, kNeighbours, kPer, kDelta};

AccountRow* copy_of(const Datum* values, const bool* nulls, ItemPointerData place) {
  auto* row = static_cast<AccountRow*>(palloc(sizeof(AccountRow)));
  memcpy(row->values, values, sizeof(row->values));
  memcpy(row->nulls, nulls, sizeof(row->nulls));
  row->place = place;
  for (const int column : kVarlena) {
    if (nulls[column]) continue;
    row->values[column] = PointerGetDatum(PG_DETOAST_DATUM_COPY(values[column]));
  }
  if (!nulls[kRepeats]) {
    row->values[kRepeats] = datumCopy(values[kRepeats], false, sizeof(Interval));
  }
  if (!nulls[kRenewal]) {
    row->values[kRenewal] = datumCopy(values[kRenewal], false, sizeof(Interval));
  }
  if (!nulls[kUnit]) row->values[kUnit] = PointerGetDatum(PG_DETOAST_DATUM_COPY(values[kUnit]));
  if (!nulls[kUnitColumn]) {
    row->values[kUnitColumn] = datumCopy(values[kUnitColumn], FLOAT8PASSBYVAL, sizeof(int64));
  }
  return row;
}

List* rows_found(StoreScan& scan) {
  List* rows = NIL;
  Datum values[account_column::kCount] = {};
  bool nulls[account_column::kCount];
  std::ranges::fill(nulls, true);  // unless the table has the column
  while (scan.next(values, nulls)) {
    rows = lappend(rows, copy_of(values, nulls, scan.place()));
  }
  scan.close();
  return rows;
}

// The largest number that an account has: also one of a transaction at work or prepared.
int32 last_number() {
  Relation table = table_open(own_relation(kAccountTable), AccessShareLock);
  Relation index = index_open(own_relation("account_pkey"), AccessShareLock);
  SnapshotData dirty;
  InitDirtySnapshot(dirty);
  SysScanDesc scan = systable_beginscan_ordered(table, index, &dirty, 0, nullptr);
  HeapTuple last = systable_getnext_ordered(scan, BackwardScanDirection);
  bool is_null = false;
  const int32 number = HeapTupleIsValid(last)
                           ? DatumGetInt32(heap_getattr(last, account_column::kId + 1,
                                                        RelationGetDescr(table), &is_null))
                           : 0;
  systable_endscan_ordered(scan);
  index_close(index, AccessShareLock);
  table_close(table, AccessShareLock);
  return number;
}

// The largest number that something was charged to: also one that was rolled back since.
int32 last_charged() {
  StoreScan scan(Table::kCharge, "charge_pkey", StoreScan::Order::kBackward);
  Datum values[charge_column::kCount];
  bool nulls[charge_column::kCount];
  const int32 number =
      scan.next(values, nulls) ? DatumGetInt32(values[charge_column::kAccount]) : 0;
  scan.close();
  return number;
}

// Calls visit for each end of an account until it returns true; whether it did.
template <class Visit>
bool find_end(int32 id, Visit visit) {
  if (!OidIsValid(own_relation(kEndTable))) return false;  // of an earlier version
  Relation table = table_open(own_relation(kEndTable), AccessShareLock);
  Relation index = index_open(own_relation("account_end_pkey"), AccessShareLock);
  ScanKeyData key;
  ScanKeyInit(&key, end_column::kAccount + 1, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(id));
  SysScanDesc scan = systable_beginscan_ordered(table, index, SnapshotSelf, 1, &key);
  HeapTuple tuple;
  bool found = false;
  while (!found && HeapTupleIsValid(tuple = systable_getnext_ordered(scan, ForwardScanDirection))) {
    bool is_null = false;
    const Datum owner =
        heap_getattr(tuple, end_column::kOwner + 1, RelationGetDescr(table), &is_null);
    found = visit(TextDatumGetCString(owner), tuple->t_self);
  }
  systable_endscan_ordered(scan);
  index_close(index, AccessShareLock);
  table_close(table, AccessShareLock);
  return found;
}

bool is_ended(int32 id, const char* owner) {
  return find_end(id, [&](const char* by, ItemPointerData) { return strcmp(by, owner) == 0; });
}

}  // namespace

Oid AccountRow::table() const {
  const Oid table =
      nulls[kRelation] ? InvalidOid : DatumGetObjectId(values[account_column::kRelation]);
  return relation_exists(table) ? table : InvalidOid;
}

AttrNumber AccountRow::unit_column() const {
  if (nulls[kUnit]) return InvalidAttrNumber;
  if (!nulls[kUnitColumn]) return number_in(table(), values[kUnitColumn]);
  const bool is_of_names = column_count(own_relation(kAccountTable)) <= kUnitColumn;
  return is_of_names ? get_attnum(table(), unit()) : InvalidAttrNumber;
}

bool any_account() {
  StoreScan scan(Table::kAccount, "account_pkey");
  Datum values[account_column::kCount];
  bool nulls[account_column::kCount];
  const bool any = scan.next(values, nulls);
  scan.close();
  return any;
}

bool any_hidden_account() {
  StoreScan scan(Table::kAccount, "account_pkey");
  AccountRow row;
  bool found = false;
  while (!found && scan.next(row.values, row.nulls)) found = row.active() && row.hidden();
  scan.close();
  return found;
}

List* all_rows() {
  StoreScan scan(Table::kAccount, "account_pkey");
  return rows_found(scan);
}

List* rows_of_table(Oid table) {
  StoreScan scan(Table::kAccount, "account_relation");
  scan.add_key(account_column::kRelation + 1, F_OIDEQ, ObjectIdGetDatum(table));
  return rows_found(scan);
}

List* rows_waiting_for(Oid table) {
  const List* names = spellings_of(table);
  if (names == NIL) return NIL;
  StoreScan scan(Table::kAccount, "account_name");
  scan.add_texts(account_column::kName + 1, names);
  List* rows = rows_found(scan);
  ListCell* cell;
  foreach (cell, rows) {
    if (OidIsValid(static_cast<AccountRow*>(lfirst(cell))->table())) {
      rows = foreach_delete_current(rows, cell);
    }
  }
  return rows;
}

namespace {

bool is_text_in(const List* texts, const char* text) {
  for (const auto* one : list<char>(texts)) {
    if (strcmp(one, text) == 0) return true;
  }
  return false;
}

// Of a few accounts: names are compared where one waits at all.
RowsFor rows_among_all(Oid table) {
  RowsFor found{false, NIL, NIL};
  const List* names = NIL;
  StoreScan scan(Table::kAccount);
  AccountRow row{};
  std::ranges::fill(row.nulls, true);  // unless the table has the column
  while (scan.next(row.values, row.nulls)) {
    found.any = true;
    if (!row.nulls[kRelation] && DatumGetObjectId(row.values[kRelation]) == table) {
      found.own = lappend(found.own, copy_of(row.values, row.nulls, scan.place()));
    } else if (!OidIsValid(row.table())) {
      if (names == NIL) names = spellings_of(table);
      if (!is_text_in(names, row.name())) continue;
      found.waiting = lappend(found.waiting, copy_of(row.values, row.nulls, scan.place()));
    }
  }
  scan.close();
  return found;
}

}  // namespace

RowsFor rows_for(Oid table) {
  if (fits_page(Table::kAccount)) return rows_among_all(table);
  List* own = rows_of_table(table);
  if (own == NIL && !any_account()) return {false, NIL, NIL};
  return {true, own, rows_waiting_for(table)};
}

List* rows_numbered(int32 id) {
  StoreScan scan(Table::kAccount, "account_pkey");
  scan.add_key(account_column::kId + 1, F_INT4EQ, Int32GetDatum(id));
  return rows_found(scan);
}

List* shares_of(int32 whole) {
  List* shares = all_rows();
  ListCell* cell;
  foreach (cell, shares) {
    if (static_cast<const AccountRow*>(lfirst(cell))->part_of() != whole) {
      shares = foreach_delete_current(shares, cell);
    }
  }
  return shares;
}

bool waits_for(int32 id, const char* owner, Oid table) {
  const char* present = owner_of(table);
  return present == nullptr || strcmp(owner, present) == 0 || !is_ended(id, present);
}

bool waits_for(const AccountRow& row, Oid table) { return waits_for(row.id(), row.owner(), table); }

void insert_account(AccountRow* row) {
  StoreLock lock(Table::kAccount, 0);
  // In this order: an account that is rolled back in between leaves its charges.
  const int32 number = last_number();
  row->values[account_column::kId] = Int32GetDatum(Max(number, last_charged()) + 1);
  write_row(kAccountTable, nullptr, row->values, row->nulls);
  lock.release();
}

void update_account(const AccountRow& row) {
  AccountRow changed = row;
  write_row(kAccountTable, &changed.place, changed.values, changed.nulls);
}

void deactivate_account(const AccountRow& row) {
  note_changed_rules();
  AccountRow changed = row;
  changed.values[account_column::kActive] = BoolGetDatum(false);
  update_account(changed);
}

void end_account(int32 id, const char* owner) {
  if (!OidIsValid(own_relation(kEndTable))) {
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
                    errmsg("relation \"idp.account_end\" does not exist"),
                    errhint("Run ALTER EXTENSION idp UPDATE.")));
  }
  if (is_ended(id, owner)) return;
  Datum values[end_column::kCount];
  bool nulls[end_column::kCount] = {};
  values[end_column::kAccount] = Int32GetDatum(id);
  values[end_column::kOwner] = CStringGetTextDatum(owner);
  write_row(kEndTable, nullptr, values, nulls);
}

void reopen_account(int32 id) {
  if (!OidIsValid(own_relation(kEndTable))) return;
  Relation table = table_open(own_relation(kEndTable), RowExclusiveLock);
  (void)find_end(id, [&](const char*, ItemPointerData place) {
    CatalogTupleDelete(table, &place);
    return false;
  });
  table_close(table, NoLock);
  CommandCounterIncrement();
}

}  // namespace idp
