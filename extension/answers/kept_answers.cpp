#include "extension/answers/kept_answers.h"

#include <algorithm>
#include <optional>

#include "core/aggregate/margin.h"
#include "extension/answers/old_answers.h"
#include "extension/budget/account.h"
#include "extension/catalog/columns.h"
#include "extension/catalog/store.h"
#include "extension/pg/guard.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "utils/array.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

using namespace answer_column;

// Larger answers are not kept, and of those with more noise no noise is.
constexpr Size kMostBytes = Size{1} << 20;
constexpr Size kMostBytesOfNoise = Size{4} << 20;

// --- reading ---

struct Elements {
  Datum* values = nullptr;
  bool* nulls = nullptr;
  int count = 0;
};

// Copied, if type is one of variable length.
Elements elements_of(Datum array, Oid type) {
  Elements elements;
  int16 length = 0;
  bool by_value = false;
  char alignment = 0;
  get_typlenbyvalalign(type, &length, &by_value, &alignment);
  deconstruct_array(DatumGetArrayTypePCopy(array), type, length, by_value, alignment,
                    &elements.values, &elements.nulls, &elements.count);
  return elements;
}

List* texts_of(Datum array) {
  const Elements elements = elements_of(array, TEXTOID);
  List* texts = NIL;
  for (int i = 0; i < elements.count; ++i) {
    texts = lappend(texts, elements.nulls[i] ? nullptr : TextDatumGetCString(elements.values[i]));
  }
  return texts;
}

List* noise_of(Datum records, Datum noise) {
  const Elements frozen = elements_of(records, BYTEAOID);
  const Elements drawn = elements_of(noise, BYTEAOID);
  List* groups = NIL;
  for (int i = 0; i < Min(frozen.count, drawn.count); ++i) {
    auto* group = static_cast<GroupNoise*>(palloc(sizeof(GroupNoise)));
    *group = {DatumGetByteaPP(frozen.values[i]), DatumGetByteaPP(drawn.values[i])};
    groups = lappend(groups, group);
  }
  return groups;
}

// In the order of the accounts; NIL if they are not those that were charged.
List* costs_of(const Datum* values, const List* accounts) {
  const Elements ids = elements_of(values[kAccounts], INT4OID);
  const Elements charged = elements_of(values[kCosts], NUMERICOID);
  List* costs = NIL;
  for (const auto* account : idp::list<Account>(accounts)) {
    const int32 id = account->id;
    int place = 0;
    while (place < ids.count && DatumGetInt32(ids.values[place]) != id) ++place;
    if (place >= Min(ids.count, charged.count)) return NIL;
    costs = lappend(costs, DatumGetPointer(charged.values[place]));
  }
  return costs;
}

std::span<const double> epsilons_in(Datum array) {
  ArrayType* epsilons = DatumGetArrayTypePCopy(array);
  const int count = ArrayGetNItems(ARR_NDIM(epsilons), ARR_DIMS(epsilons));
  return {reinterpret_cast<const double*>(ARR_DATA_PTR(epsilons)), static_cast<std::size_t>(count)};
}

bool are_enough(std::span<const double> paid, std::span<const double> asked) {
  return std::equal(paid.begin(), paid.end(), asked.begin(), asked.end(),
                    [](double a, double b) { return a >= b; });
}

// Before the others of that time, which are the last.
int place_of(const List* answers, TimestampTz at) {
  int place = list_length(answers);
  while (place > 0 && static_cast<const KeptAnswer*>(list_nth(answers, place - 1))->at == at) {
    --place;
  }
  return place;
}

// Whether there is a finer one of that time, to go on from.
bool has_finer(const List* answers, const KeptAnswer& answer) {
  for (const auto* other : idp::list<KeptAnswer>(answers)) {
    if (other->at == answer.at && other->epsilon > answer.epsilon) return true;
  }
  return false;
}

List* without_coarser(List* answers) {
  ListCell* cell;
  foreach (cell, answers) {
    const auto* answer = static_cast<const KeptAnswer*>(lfirst(cell));
    if (!answer->is_enough && has_finer(answers, *answer)) {
      answers = foreach_delete_current(answers, cell);
    }
  }
  return answers;
}

}  // namespace

List* kept_answers(const AskedNumber& number) {
  StoreScan scan(Table::kAnswer, "answer_key", StoreScan::Order::kBackward);
  scan.add_key(kKey + 1, F_BYTEAEQ, PointerGetDatum(number.key));
  const std::span<const double> asked = number.call->request.epsilon_span();
  Datum values[answer_column::kCount];
  bool nulls[answer_column::kCount];
  List* answers = NIL;
  XLogRecPtr written = InvalidXLogRecPtr;
  while (scan.next(values, nulls)) {
    const TimestampTz at = DatumGetTimestampTz(values[kAt]);
    if (!is_current(number.accounts, at)) break;
    const std::span<const double> paid = epsilons_in(values[kEpsilons]);
    const bool is_enough = are_enough(paid, asked);
    const bool is_refined = !is_enough && paid.size() == 1 && asked.size() == 1 && !nulls[kNoise];
    if (!is_enough && !is_refined) continue;
    auto* answer = static_cast<KeptAnswer*>(palloc(sizeof(KeptAnswer)));
    *answer = {at, is_enough, paid[0], texts_of(values[kRows]), NIL, NIL, NIL};
    if (is_refined) {
      answer->noise = noise_of(values[kRecords], values[kNoise]);
      answer->costs = costs_of(values, number.accounts);
      if (!nulls[kCharges]) answer->charges = texts_of(values[kCharges]);
    }
    answers = std::ranges::equal(paid, asked)
                  ? list_insert_nth(answers, place_of(answers, at), answer)
                  : lappend(answers, answer);
    written = Max(written, scan.written());
  }
  scan.close();
  if (answers != NIL) make_durable(written);
  return without_coarser(answers);
}

namespace {

// --- writing ---

Datum texts_array(const List* texts) {
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
Datum array_of(const List* list, Oid type, Value value_in) {
  int16 length = 0;
  bool by_value = false;
  char alignment = 0;
  get_typlenbyvalalign(type, &length, &by_value, &alignment);
  auto* values = static_cast<Datum*>(palloc(sizeof(Datum) * (list_length(list) + 1)));
  int count = 0;
  ListCell* cell;
  foreach (cell, list) values[count++] = value_in(cell);
  return PointerGetDatum(construct_array(values, count, type, length, by_value, alignment));
}

Datum epsilons_array(const AskedNumber& number) {
  const std::span<const double> epsilons = number.call->request.epsilon_span();
  auto* values = static_cast<Datum*>(palloc(sizeof(Datum) * (epsilons.size() + 1)));
  for (std::size_t i = 0; i < epsilons.size(); ++i) values[i] = Float8GetDatum(epsilons[i]);
  return PointerGetDatum(construct_array(values, static_cast<int>(epsilons.size()), FLOAT8OID,
                                         sizeof(double), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

bool is_small(const List* rows) {
  if (list_length(rows) > kMostValues) return false;
  Size bytes = 0;
  for (const auto* text : idp::list<char>(rows)) {
    if (text != nullptr) bytes += strlen(text);
  }
  return bytes <= kMostBytes;
}

bool is_small_noise(const List* groups) {
  Size bytes = 0;
  for (const auto* group : idp::list<GroupNoise>(groups)) {
    bytes += VARSIZE_ANY(group->record) + VARSIZE_ANY(group->noise);
  }
  return bytes <= kMostBytesOfNoise;
}

// With 95 % confidence; nothing if none is known.
std::optional<double> margin_of_number(const AskedNumber& number) {
  const Request& request = number.call->request;
  const Neighbours neighbours = neighbours_of(number.accounts);
  std::optional<double> margin;
  guarded([&] {
    const auto known =
        margin_of(request.spec, request.epsilon_span(), neighbours, mpq_class(1, 20));
    if (known) margin = double_above(*known);
  });
  return margin;
}

void insert_row_of(const AskedNode& asked, const AskedNumber& number, const KeptAnswer& answer) {
  Datum values[answer_column::kCount];
  bool nulls[answer_column::kCount] = {};
  values[kKey] = PointerGetDatum(number.key);
  values[kAt] = TimestampTzGetDatum(answer.at);
  values[kAccounts] = array_of(number.accounts, INT4OID, [](const ListCell* cell) {
    return Int32GetDatum(static_cast<const Account*>(lfirst(cell))->id);
  });
  values[kTables] = array_of(asked.tables, OIDOID, [](const ListCell* cell) {
    return ObjectIdGetDatum(lfirst_oid(cell));
  });
  values[kQuestion] = CStringGetTextDatum(text_of(number));
  values[kEpsilons] = epsilons_array(number);
  values[kColumns] = texts_array(number.types);
  values[kRows] = texts_array(answer.texts);
  values[kCosts] = array_of(answer.costs, NUMERICOID,
                            [](const ListCell* cell) { return PointerGetDatum(lfirst(cell)); });
  nulls[kRecords] = nulls[kNoise] = answer.noise == NIL;
  values[kRecords] = array_of(answer.noise, BYTEAOID, [](const ListCell* cell) {
    return PointerGetDatum(static_cast<const GroupNoise*>(lfirst(cell))->record);
  });
  values[kNoise] = array_of(answer.noise, BYTEAOID, [](const ListCell* cell) {
    return PointerGetDatum(static_cast<const GroupNoise*>(lfirst(cell))->noise);
  });
  const std::optional<double> margin = margin_of_number(number);
  nulls[kMargin] = !margin;
  values[kMargin] = Float8GetDatum(margin.value_or(0));
  values[kRole] = CStringGetTextDatum(GetUserNameFromId(GetUserId(), false));
  values[kCharges] = texts_array(answer.charges);
  insert_row(Table::kAnswer, values, nulls);
}

// What a statement of hundreds of numbers asks is long, and is written for each of them.
void insert_answer(const AskedNode& asked, const AskedNumber& number, const KeptAnswer& answer) {
  MemoryContext own =
      AllocSetContextCreate(CurrentMemoryContext, "idp kept answer", ALLOCSET_DEFAULT_SIZES);
  MemoryContext before = MemoryContextSwitchTo(own);
  insert_row_of(asked, number, answer);
  MemoryContextSwitchTo(before);
  MemoryContextDelete(own);
}

}  // namespace

List* charges_of(const List* numbers) {
  List* charges = NIL;
  for (const auto* number : idp::list<ChargeNumber>(numbers)) {
    charges = lappend(charges, psprintf("%d/" INT64_FORMAT, number->account, number->entry));
  }
  return charges;
}

void keep_answer(const AskedNode& asked, const AskedNumber& number, const KeptAnswer& answer) {
  if (!is_small(answer.texts)) return;
  KeptAnswer kept = answer;
  if (!is_small_noise(answer.noise)) kept.noise = NIL;
  insert_answer(asked, number, kept);
  delete_old_answers(number.key);
}

// However large it is: what is not kept would be drawn a second time.
void keep_refined(const AskedNode& asked, const AskedNumber& number, const KeptAnswer& answer) {
  insert_answer(asked, number, answer);
  delete_coarser(number.key, answer.at, answer.epsilon);
}

}  // namespace idp
