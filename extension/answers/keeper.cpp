#include "extension/answers/keeper.h"

#include <new>

#include "core/aggregate/statistic.h"
#include "extension/answers/kept_answers.h"
#include "extension/answers/node.h"
#include "extension/answers/row_texts.h"
#include "extension/pg/nodes.h"
#include "extension/pg/plain_output.h"

extern "C" {
#include "executor/executor.h"
#include "utils/datum.h"
}

namespace idp {

namespace {

uint32 lock_of(const AskedNumber& number) {
  uint32 place;
  memcpy(&place, VARDATA(number.key), sizeof place);
  return place;
}

struct Drawn {
  LockedNumber* locked;
  List* noise;  // of GroupNoise, row by row; NIL if it is not kept
};

struct Keeper : Watcher {
  const AskedNode* asked;
  TimestampTz at;
  List* drawn;  // of Drawn
  List* rows;   // of MinimalTuple
};

bytea* copy_of(bytea* value) {
  return reinterpret_cast<bytea*>(DatumGetPointer(datumCopy(PointerGetDatum(value), false, -1)));
}

void see(TupleTableSlot* row, Watcher* watcher) {
  auto* keeper = static_cast<Keeper*>(watcher);
  if (list_length(keeper->rows) > kMostValues) return;  // nothing will be kept
  keeper->rows = lappend(keeper->rows, ExecCopySlotMinimalTuple(row));
  for (auto* drawn : list<Drawn>(keeper->drawn)) {
    const CallNoise& last = drawn->locked->number->call->noise;
    if (!last.is_kept) continue;
    auto* group = static_cast<GroupNoise*>(palloc(sizeof(GroupNoise)));
    *group = {copy_of(last.record), copy_of(last.noise)};
    drawn->noise = lappend(drawn->noise, group);
  }
}

// As text, of List of char*.
List* texts_of(const Keeper& keeper) {
  TupleTableSlot* slot =
      MakeSingleTupleTableSlot(columns_of_answers(keeper.asked->node), &TTSOpsMinimalTuple);
  List* rows = NIL;
  ListCell* cell;
  PlainOutput plain;
  foreach (cell, keeper.rows) {
    ExecStoreMinimalTuple(static_cast<MinimalTuple>(lfirst(cell)), slot, false);
    rows = lappend(rows, texts_of_row(slot));
  }
  plain.end();
  ExecDropSingleTupleTableSlot(slot);
  return rows;
}

struct Group {
  List* texts;  // of char*: the keys, then the number
  GroupNoise* noise;
};

int compare_texts(const char* a, const char* b) {
  if (a == nullptr || b == nullptr) return (a != nullptr) - (b != nullptr);
  return strcmp(a, b);
}

// By their keys.
int compare_groups(const ListCell* a, const ListCell* b) {
  const List* one = static_cast<const Group*>(lfirst(a))->texts;
  const List* other = static_cast<const Group*>(lfirst(b))->texts;
  for (int i = 0; i + 1 < list_length(one); ++i) {
    const int order = compare_texts(static_cast<const char*>(list_nth(one, i)),
                                    static_cast<const char*>(list_nth(other, i)));
    if (order != 0) return order;
  }
  return 0;
}

// Of groups in order: a grouping set may be there twice.
bool has_twins(const List* groups) {
  for (int i = 1; i < list_length(groups); ++i) {
    if (compare_groups(list_nth_cell(groups, i - 1), list_nth_cell(groups, i)) == 0) return true;
  }
  return false;
}

// Group by group, in one order, whatever the statement asks for. False if groups are not told
// apart.
bool read_answer(const Keeper& keeper, const Drawn& drawn, const List* rows, KeptAnswer* answer) {
  const AskedNumber& number = *drawn.locked->number;
  List* groups = NIL;
  ListCell* cell;
  foreach (cell, rows) {
    const auto* row = static_cast<const List*>(lfirst(cell));
    auto* group = static_cast<Group*>(palloc0(sizeof(Group)));
    for (const int number : ints(keeper.asked->keys)) {
      group->texts = lappend(group->texts, list_nth(row, number));
    }
    group->texts = lappend(group->texts, list_nth(row, number.column));
    if (drawn.noise != NIL) {
      group->noise = static_cast<GroupNoise*>(list_nth(drawn.noise, foreach_current_index(cell)));
    }
    groups = lappend(groups, group);
  }
  list_sort(groups, compare_groups);
  if (has_twins(groups)) return false;
  const CallCharge& charge = number.call->charge;
  *answer = {keeper.at, true,         number.call->request.epsilons[0], NIL,
             NIL,       charge.costs, charges_of(charge.numbers)};
  for (const auto* group : list<Group>(groups)) {
    answer->texts = list_concat(answer->texts, group->texts);
    if (group->noise != nullptr) answer->noise = lappend(answer->noise, group->noise);
  }
  return true;
}

void end(bool is_drawn, Watcher* watcher) {
  const auto* keeper = static_cast<const Keeper*>(watcher);
  const List* rows = is_drawn ? texts_of(*keeper) : NIL;
  for (const auto* drawn : list<Drawn>(keeper->drawn)) {
    LockedNumber* locked = drawn->locked;
    KeptAnswer answer;
    if (is_drawn && read_answer(*keeper, *drawn, rows, &answer)) {
      keep_answer(*keeper->asked, *locked->number, answer);
    }
    locked->lock.release();
  }
}

// Several epsilons have an order of levels of their own (core/gradual/release.h).
bool may_be_refined(const Request& request) {
  return is_additive(request.spec.statistic) && request.spec.groups == 1;
}

}  // namespace

List* lock_numbers(const List* nodes) {
  List* numbers = NIL;
  for (const auto* asked : list<AskedNode>(nodes)) {
    for (const auto* each : list<AskedNumber>(asked->numbers)) {
      auto* locked = static_cast<LockedNumber*>(palloc0(sizeof(LockedNumber)));
      locked->asked = asked;
      locked->number = each;
      numbers = lappend(numbers, locked);
    }
  }
  list_sort(numbers, [](const ListCell* a, const ListCell* b) {
    const uint32 first = lock_of(*static_cast<const LockedNumber*>(lfirst(a))->number);
    const uint32 second = lock_of(*static_cast<const LockedNumber*>(lfirst(b))->number);
    return first < second ? -1 : first > second ? 1 : 0;
  });
  for (auto* locked : list<LockedNumber>(numbers)) {
    new (&locked->lock) StoreLock(Table::kAnswer, lock_of(*locked->number));
  }
  return numbers;
}

void keep_when_drawn(const AskedNode& asked, List* numbers, TimestampTz at) {
  auto* keeper = static_cast<Keeper*>(palloc0(sizeof(Keeper)));
  keeper->see = see;
  keeper->end = end;
  keeper->asked = &asked;
  keeper->at = at;
  for (auto* each : list<LockedNumber>(numbers)) {
    auto* drawn = static_cast<Drawn*>(palloc0(sizeof(Drawn)));
    drawn->locked = each;
    BoundCall* call = drawn->locked->number->call;
    call->noise.is_kept = may_be_refined(call->request);
    keeper->drawn = lappend(keeper->drawn, drawn);
  }
  watch(asked.node, keeper);
}

}  // namespace idp
