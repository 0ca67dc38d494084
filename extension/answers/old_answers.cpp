#include "extension/answers/old_answers.h"

#include <algorithm>

#include "extension/budget/account.h"
#include "extension/budget/owned_table.h"
#include "extension/catalog/columns.h"
#include "extension/catalog/own_rows.h"
#include "extension/catalog/store.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/sql_function.h"

extern "C" {
#include "access/detoast.h"
#include "access/heapam.h"
#include "access/xact.h"
#include "utils/array.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
}

namespace idp {

namespace {

using namespace answer_column;

// A part is of the keys that begin with the same 12 bits: about 260 000 answers have room, and no
// more than so many bytes of each part. What analysts can fill for next to no epsilon ends there.
constexpr int kParts = 4096;
constexpr int kMostInPart = 64;
constexpr Size kMostBytesInPart = Size{4} << 20;

struct OldRow {
  TimestampTz at;
  double epsilon;
  bool is_expired;
  Oid owner;   // of a table that is charged: their epsilons have one worth
  Size bytes;  // of what is long in it, as it is before it is compressed
  ItemPointerData place;
};

// The accounts that have paid for rows, as these are now.
class Payers {
 public:
  // Whether nobody gets answers again that those of a row have paid.
  bool are_expired(const Datum* values) {
    look_up(values);
    return !all_repeat(accounts_) || !is_current(accounts_, DatumGetTimestampTz(values[kAt]));
  }
  // Whose table is charged; invalid if it is gone.
  Oid owner(const Datum* values) {
    look_up(values);
    return owner_;
  }

 private:
  void look_up(const Datum* values) {
    if (ids_ != nullptr && datumIsEqual(PointerGetDatum(ids_), values[kAccounts], false, -1)) {
      return;  // mostly those of the row before
    }
    ids_ = DatumGetArrayTypePCopy(values[kAccounts]);
    accounts_ = accounts_numbered(ids_);
    owner_ = InvalidOid;
    for (const auto* account : list<Account>(accounts_)) {
      if (!OidIsValid(owner_) && OidIsValid(account->table)) owner_ = owner_id_of(account->table);
    }
  }

  ArrayType* ids_ = nullptr;
  List* accounts_ = NIL;
  Oid owner_ = InvalidOid;
};

double first_epsilon(Datum epsilons) {
  ArrayType* array = DatumGetArrayTypeP(epsilons);
  return *reinterpret_cast<const double*>(ARR_DATA_PTR(array));
}

Size long_bytes(const Datum* values, const bool* nulls) {
  Size bytes = 0;
  for (const int column : {kQuestion, kColumns, kRows, kRecords, kNoise}) {
    if (!nulls[column]) bytes += toast_raw_datum_size(values[column]);
  }
  return bytes;
}

// The next rows of a scan, so many at most, of OldRow.
List* rows_of(StoreScan& scan, int most) {
  Payers payers;
  Datum values[answer_column::kCount];
  bool nulls[answer_column::kCount];
  List* rows = NIL;
  while (list_length(rows) < most && scan.next(values, nulls)) {
    auto* row = static_cast<OldRow*>(palloc(sizeof(OldRow)));
    *row = {DatumGetTimestampTz(values[kAt]), first_epsilon(values[kEpsilons]),
            payers.are_expired(values),       payers.owner(values),
            long_bytes(values, nulls),        scan.place()};
    rows = lappend(rows, row);
  }
  scan.close();
  return rows;
}

const OldRow& row_in(const ListCell* cell) { return *static_cast<const OldRow*>(lfirst(cell)); }

int by_epsilon(const ListCell* a, const ListCell* b) {
  const OldRow& one = row_in(a);
  const OldRow& other = row_in(b);
  if (one.epsilon != other.epsilon) return one.epsilon < other.epsilon ? -1 : 1;
  return one.at < other.at ? -1 : one.at > other.at ? 1 : 0;
}

// From the coarsest to the finest. One that somebody else is about to delete may stay after all, so
// nothing finer goes then.
void delete_rows(List* rows) {
  list_sort(rows, by_epsilon);
  ListCell* cell;
  foreach (cell, rows) {
    if (!try_to_delete_row(Table::kAnswer, row_in(cell).place)) return;
  }
}

// More than one for each that is kept, if most have expired: so the table does not grow beyond what
// is current.
void delete_expired_behind(bytea* key) {
  constexpr int kAtOnce = 16;
  StoreScan scan(Table::kAnswer, "answer_key");
  scan.add_bound(kKey + 1, BTGreaterEqualStrategyNumber, F_BYTEAGE, PointerGetDatum(key));
  List* rows = rows_of(scan, kAtOnce);
  // coarser ones of the last may follow
  const TimestampTz last = list_length(rows) < kAtOnce ? DT_NOBEGIN : row_in(list_tail(rows)).at;
  ListCell* cell;
  foreach (cell, rows) {
    if (!row_in(cell).is_expired || row_in(cell).at == last) {
      rows = foreach_delete_current(rows, cell);
    }
  }
  delete_rows(rows);
}

bytea* first_key_of(int part) {
  auto* key = static_cast<bytea*>(palloc(VARHDRSZ + 2));
  SET_VARSIZE(key, VARHDRSZ + 2);
  VARDATA(key)[0] = static_cast<char>(part >> 4);
  VARDATA(key)[1] = static_cast<char>((part & 15) << 4);
  return key;
}

int part_of(const bytea* key) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(VARDATA_ANY(key));
  return (bytes[0] << 4) | (bytes[1] >> 4);
}

struct Share {
  int count;
  Size bytes;
};

template <class Wanted>
Share share_of(const List* rows, Wanted is_wanted) {
  Share share{0, 0};
  for (const auto* row : list<OldRow>(rows)) {
    if (!is_wanted(*row)) continue;
    ++share.count;
    share.bytes += row->bytes;
  }
  return share;
}

// Who has most of the room gives some of it back: what the epsilon of somebody's own table is worth
// to others is not known.
Oid owner_of_most(const List* rows, bool by_count) {
  Oid most = InvalidOid;
  Share largest{0, 0};
  for (const auto* row : list<OldRow>(rows)) {
    const Share share =
        share_of(rows, [&](const OldRow& other) { return other.owner == row->owner; });
    const bool is_more = by_count ? share.count > largest.count : share.bytes > largest.bytes;
    if (!is_more) continue;
    most = row->owner;
    largest = share;
  }
  return most;
}

void make_room_in(int part) {
  StoreScan scan(Table::kAnswer, "answer_key");
  scan.add_bound(kKey + 1, BTGreaterEqualStrategyNumber, F_BYTEAGE,
                 PointerGetDatum(first_key_of(part)));
  if (part + 1 < kParts) {
    scan.add_bound(kKey + 1, BTLessStrategyNumber, F_BYTEALT,
                   PointerGetDatum(first_key_of(part + 1)));
  }
  List* rows = rows_of(scan, INT_MAX);
  list_sort(rows, by_epsilon);
  List* surplus = NIL;
  while (list_length(rows) > 1) {
    const Share all = share_of(rows, [](const OldRow&) { return true; });
    const bool are_many = all.count > kMostInPart;
    if (!are_many && all.bytes <= kMostBytesInPart) break;
    const Oid owner = owner_of_most(rows, are_many);
    for (auto* row : list<OldRow>(rows)) {  // the coarsest
      if (row->owner != owner) continue;
      surplus = lappend(surplus, row);
      rows = list_delete_ptr(rows, row);
      break;
    }
  }
  if (surplus != NIL) delete_rows(surplus);
}

}  // namespace

bool is_current(const List* accounts, TimestampTz at) {
  for (const auto* account : list<Account>(accounts)) {
    const Datum ends = DirectFunctionCall2(timestamptz_pl_interval, TimestampTzGetDatum(at),
                                           IntervalPGetDatum(account->repeats));
    if (DatumGetTimestampTz(ends) <= GetCurrentTimestamp()) return false;
  }
  return true;
}

void delete_old_answers(bytea* key) {
  delete_expired_behind(key);
  make_room_in(part_of(key));
}

void delete_coarser(bytea* key, TimestampTz at, double epsilon) {
  StoreScan scan(Table::kAnswer, "answer_key");
  scan.add_key(kKey + 1, F_BYTEAEQ, PointerGetDatum(key));
  scan.add_key(kAt + 1, F_TIMESTAMPTZ_EQ, TimestampTzGetDatum(at));
  List* rows = rows_of(scan, INT_MAX);
  ListCell* cell;
  foreach (cell, rows) {
    if (row_in(cell).epsilon >= epsilon) rows = foreach_delete_current(rows, cell);
  }
  delete_rows(rows);
}

namespace {

bool has_number(Datum numbers, uint32 wanted) {
  ArrayType* array = DatumGetArrayTypeP(numbers);
  const auto* values = reinterpret_cast<const uint32*>(ARR_DATA_PTR(array));
  const int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
  return std::find(values, values + count, wanted) != values + count;
}

// Whether answers read a table, or were paid by one of those accounts.
bool are_about(const Datum* values, Oid table, const List* accounts) {
  if (has_number(values[kTables], table)) return true;
  for (const auto* account : list<Account>(accounts)) {
    const auto id = static_cast<uint32>(account->id);
    if (has_number(values[kAccounts], id)) return true;
  }
  return false;
}

Datum forget_answers(FunctionCallInfo fcinfo) {
  const Oid table = PG_GETARG_OID(0);
  require_owner(table);
  PreventCommandIfReadOnly("idp.forget_answers()");
  Relation answers = table_open(own_relation("answer"), RowExclusiveLock);
  SysScanDesc scan = systable_beginscan(answers, InvalidOid, false, SnapshotSelf, 0, nullptr);
  const List* accounts = accounts_of(table);
  int64 count = 0;
  HeapTuple tuple;
  while (HeapTupleIsValid(tuple = systable_getnext(scan))) {
    Datum values[answer_column::kCount];
    bool nulls[answer_column::kCount];
    heap_deform_tuple(tuple, RelationGetDescr(answers), values, nulls);
    if (!are_about(values, table, accounts)) continue;
    simple_heap_delete(answers, &tuple->t_self);
    ++count;
  }
  systable_endscan(scan);
  table_close(answers, NoLock);
  PG_RETURN_INT64(count);
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_forget_answers, forget_answers);

}  // extern "C"
#pragma GCC visibility pop
