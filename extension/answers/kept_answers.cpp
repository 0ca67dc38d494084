#include "extension/answers/kept_answers.h"

#include <algorithm>

#include "extension/budget/account.h"
#include "extension/budget/owned_table.h"
#include "extension/catalog/columns.h"
#include "extension/catalog/own_rows.h"
#include "extension/catalog/store.h"
#include "extension/pg/sql_function.h"

extern "C" {
#include "access/heapam.h"
#include "access/xact.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
}

namespace idp {

namespace {

using namespace answer_column;

// Larger answers are not kept.
constexpr int kMostValues = 100000;
constexpr Size kMostBytes = Size{1} << 20;

// Until when answers of that time are given again: the least that one of the accounts says.
bool is_current(const AskedNumber& number, TimestampTz at) {
  ListCell* cell;
  foreach (cell, number.accounts) {
    const auto* account = static_cast<const Account*>(lfirst(cell));
    const Datum ends = DirectFunctionCall2(timestamptz_pl_interval, TimestampTzGetDatum(at),
                                           IntervalPGetDatum(account->repeats));
    if (DatumGetTimestampTz(ends) <= GetCurrentTimestamp()) return false;
  }
  return true;
}

enum class Enough { kNo, kMore, kJust };

Enough are_enough(const AskedNumber& number, Datum epsilons) {
  ArrayType* paid = DatumGetArrayTypeP(epsilons);
  const auto count = static_cast<std::size_t>(ArrayGetNItems(ARR_NDIM(paid), ARR_DIMS(paid)));
  const std::span values(reinterpret_cast<const double*>(ARR_DATA_PTR(paid)), count);
  const std::span<const double> asked = number.call->request.epsilon_span();
  if (!std::equal(values.begin(), values.end(), asked.begin(), asked.end(),
                  [](double a, double b) { return a >= b; })) {
    return Enough::kNo;
  }
  return std::ranges::equal(values, asked) ? Enough::kJust : Enough::kMore;
}

List* texts_of(Datum array) {
  Datum* values = nullptr;
  bool* nulls = nullptr;
  int count = 0;
  deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, &values, &nulls,
                    &count);
  List* texts = NIL;
  for (int i = 0; i < count; ++i) {
    texts = lappend(texts, nulls[i] ? nullptr : TextDatumGetCString(values[i]));
  }
  return texts;
}

// --- as a row ---

Datum array_of(const List* texts) {
  const int count = list_length(texts);
  auto* values = static_cast<Datum*>(palloc(sizeof(Datum) * (count + 1)));
  auto* nulls = static_cast<bool*>(palloc(sizeof(bool) * (count + 1)));
  for (int i = 0; i < count; ++i) {
    const auto* text = static_cast<const char*>(list_nth(texts, i));
    nulls[i] = text == nullptr;
    values[i] = nulls[i] ? Datum{0} : CStringGetTextDatum(text);
  }
  int dimensions[] = {count};
  int bounds[] = {1};
  return PointerGetDatum(construct_md_array(values, nulls, count > 0 ? 1 : 0, dimensions, bounds,
                                            TEXTOID, -1, false, TYPALIGN_INT));
}

template <class Value>
Datum numbers_array(const List* numbers, Oid type, Value value_in) {
  auto* values = static_cast<Datum*>(palloc(sizeof(Datum) * (list_length(numbers) + 1)));
  int count = 0;
  ListCell* cell;
  foreach (cell, numbers) values[count++] = value_in(cell);
  return PointerGetDatum(construct_array(values, count, type, sizeof(int32), true, TYPALIGN_INT));
}

Datum epsilons_of(const AskedNumber& number) {
  const std::span<const double> epsilons = number.call->request.epsilon_span();
  auto* values = static_cast<Datum*>(palloc(sizeof(Datum) * (epsilons.size() + 1)));
  for (std::size_t i = 0; i < epsilons.size(); ++i) values[i] = Float8GetDatum(epsilons[i]);
  return PointerGetDatum(construct_array(values, static_cast<int>(epsilons.size()), FLOAT8OID,
                                         sizeof(double), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

bool is_small(const List* rows) {
  if (list_length(rows) > kMostValues) return false;
  Size bytes = 0;
  ListCell* cell;
  foreach (cell, rows) {
    const auto* text = static_cast<const char*>(lfirst(cell));
    if (text != nullptr) bytes += strlen(text);
  }
  return bytes <= kMostBytes;
}

bool has_number(Datum numbers, uint32 wanted) {
  ArrayType* array = DatumGetArrayTypeP(numbers);
  const auto* values = reinterpret_cast<const uint32*>(ARR_DATA_PTR(array));
  const int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
  return std::find(values, values + count, wanted) != values + count;
}

// Whether answers read a table, or were paid by one of those accounts.
bool are_about(const Datum* values, Oid table, const List* accounts) {
  if (has_number(values[kTables], table)) return true;
  ListCell* cell;
  foreach (cell, accounts) {
    const auto id = static_cast<uint32>(static_cast<const Account*>(lfirst(cell))->id);
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

namespace {

// Before the others of that time, which are the last.
int place_of(const List* answers, TimestampTz at) {
  int place = list_length(answers);
  while (place > 0 && static_cast<const KeptAnswer*>(list_nth(answers, place - 1))->at == at) {
    --place;
  }
  return place;
}

}  // namespace

List* kept_answers(const AskedNumber& number) {
  StoreScan scan(Table::kAnswer, "answer_key", StoreScan::Order::kBackward);
  scan.add_key(kKey + 1, F_BYTEAEQ, PointerGetDatum(number.key));
  Datum values[answer_column::kCount];
  bool nulls[answer_column::kCount];
  List* answers = NIL;
  XLogRecPtr written = InvalidXLogRecPtr;
  while (scan.next(values, nulls)) {
    const TimestampTz at = DatumGetTimestampTz(values[kAt]);
    if (!is_current(number, at)) break;
    const Enough enough = are_enough(number, values[kEpsilons]);
    if (enough == Enough::kNo) continue;
    auto* answer = static_cast<KeptAnswer*>(palloc(sizeof(KeptAnswer)));
    *answer = {at, texts_of(values[kRows])};
    answers = enough == Enough::kJust ? list_insert_nth(answers, place_of(answers, at), answer)
                                      : lappend(answers, answer);
    written = Max(written, scan.written());
  }
  scan.close();
  if (answers != NIL) make_durable(written);
  return answers;
}

namespace {

// Whether nobody gets that answer again, as its accounts are now.
bool is_expired(const Datum* values) {
  AskedNumber number = {};
  number.accounts = accounts_numbered(DatumGetArrayTypeP(values[kAccounts]));
  return !all_repeat(number.accounts) || !is_current(number, DatumGetTimestampTz(values[kAt]));
}

// Of what follows a key, which is as good as random, some: so for each answer that is kept more
// than one goes, if most have expired, and the table does not grow beyond what is current.
void delete_expired_behind(bytea* key) {
  constexpr int kAtOnce = 16;
  StoreScan scan(Table::kAnswer, "answer_key");
  scan.add_bound(kKey + 1, BTGreaterEqualStrategyNumber, F_BYTEAGE, PointerGetDatum(key));
  Datum values[answer_column::kCount];
  bool nulls[answer_column::kCount];
  ItemPointerData expired[kAtOnce];
  int count = 0;
  for (int i = 0; i < kAtOnce && scan.next(values, nulls); ++i) {
    if (is_expired(values)) expired[count++] = scan.place();
  }
  scan.close();
  for (int i = 0; i < count; ++i) try_to_delete_row(Table::kAnswer, expired[i]);
}

}  // namespace

void keep_answer(const AskedNode& asked, const AskedNumber& number, const KeptAnswer& answer) {
  if (!is_small(answer.texts)) return;
  Datum values[answer_column::kCount];
  bool nulls[answer_column::kCount] = {};
  values[kKey] = PointerGetDatum(number.key);
  values[kAt] = TimestampTzGetDatum(answer.at);
  values[kAccounts] = numbers_array(number.accounts, INT4OID, [](const ListCell* cell) {
    return Int32GetDatum(static_cast<const Account*>(lfirst(cell))->id);
  });
  values[kTables] = numbers_array(asked.tables, OIDOID, [](const ListCell* cell) {
    return ObjectIdGetDatum(lfirst_oid(cell));
  });
  values[kQuestion] = CStringGetTextDatum(number.text);
  values[kEpsilons] = epsilons_of(number);
  values[kColumns] = array_of(number.types);
  values[kRows] = array_of(answer.texts);
  insert_row(Table::kAnswer, values, nulls);
  delete_expired_behind(number.key);
}

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_forget_answers, forget_answers);

}  // extern "C"
#pragma GCC visibility pop
