#include "extension/answers/repeated.h"

#include "extension/answers/keeper.h"
#include "extension/answers/kept_answers.h"
#include "extension/answers/node.h"
#include "extension/answers/numbers.h"
#include "extension/answers/refined.h"
#include "extension/answers/row_texts.h"
#include "extension/answers/shared_draws.h"
#include "extension/budget/account.h"
#include "extension/distribute/remote_ask.h"
#include "extension/pg/nodes.h"
#include "extension/state/open_snapshots.h"

extern "C" {
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "storage/lmgr.h"
}

namespace idp {

namespace {

// --- which of the kept answers go together ---

// Numbers that are of one draw: those that an expression combines, or one.
struct Unit {
  List* numbers;  // of int: their places among those of the node
  List* chosen;   // of KeptAnswer, one for each of these; NIL if none was found
};

// The numbers of a node, and what is kept of them.
struct Search {
  const AskedNode* asked;
  bool may_refine;
  List* kept;   // of List of KeptAnswer, for each number
  List* units;  // of Unit
};

const AskedNumber& number_in(const AskedNode& asked, int place) {
  return *static_cast<const AskedNumber*>(list_nth(asked.numbers, place));
}

int key_count(const Search& search) { return list_length(search.asked->keys); }

bool is_same_text(const char* a, const char* b) {
  return a == nullptr || b == nullptr ? a == b : strcmp(a, b) == 0;
}

// Whether two answers have the same groups.
bool have_same_keys(const Search& search, const KeptAnswer* a, const KeptAnswer* b) {
  const int width = key_count(search) + 1;
  if (list_length(a->texts) != list_length(b->texts)) return false;
  for (int i = 0; i < list_length(a->texts); ++i) {
    if (i % width == width - 1) continue;
    if (!is_same_text(static_cast<const char*>(list_nth(a->texts, i)),
                      static_cast<const char*>(list_nth(b->texts, i)))) {
      return false;
    }
  }
  return true;
}

List* kept_of(const Search& search, int number) {
  return static_cast<List*>(list_nth(search.kept, number));
}

// Which answers are taken.
enum class Taken {
  kFree,     // as they are kept
  kRefined,  // also those that are to be refined
};

// Whether it is what is asked for, or can be made of it.
bool is_of_use(const Search& search, int number, const KeptAnswer& answer, Taken taken) {
  return answer.is_enough ||
         (taken == Taken::kRefined &&
          may_be_refined(*search.asked, number_in(*search.asked, number), answer));
}

// The first that is kept of a number with these groups at this time; null if there is none.
const KeptAnswer* answer_of_time(const Search& search, int number, const KeptAnswer* groups,
                                 TimestampTz at, Taken taken) {
  for (const auto* answer : list<KeptAnswer>(kept_of(search, number))) {
    if (answer->at == at && is_of_use(search, number, *answer, taken) &&
        have_same_keys(search, answer, groups)) {
      return answer;
    }
  }
  return nullptr;
}

// The answers of a unit that one draw gave, the last such draw; NIL if there is none.
List* choose(const Search& search, const Unit& unit, const KeptAnswer* groups, Taken taken) {
  for (const auto* each : list<KeptAnswer>(kept_of(search, linitial_int(unit.numbers)))) {
    const TimestampTz at = each->at;
    List* chosen = NIL;
    for (const int number : ints(unit.numbers)) {
      const KeptAnswer* answer = answer_of_time(search, number, groups, at, taken);
      if (answer != nullptr) chosen = lappend(chosen, const_cast<KeptAnswer*>(answer));
    }
    if (list_length(chosen) == list_length(unit.numbers)) return chosen;
  }
  return NIL;
}

// How many units have answers with these groups, which they keep; free ones if there are any.
int choose_all(const Search& search, const KeptAnswer* groups, Taken taken) {
  int count = 0;
  for (auto* unit : list<Unit>(search.units)) {
    unit->chosen = choose(search, *unit, groups, Taken::kFree);
    if (unit->chosen == NIL && taken == Taken::kRefined) {
      unit->chosen = choose(search, *unit, groups, taken);
    }
    count += unit->chosen != NIL;
  }
  return count;
}

Bitmapset* columns_of(const AskedNode& asked, const Unit& unit) {
  Bitmapset* columns = nullptr;
  for (const int each : ints(unit.numbers)) {
    const auto* number = static_cast<const AskedNumber*>(list_nth(asked.numbers, each));
    columns = bms_add_member(columns, number->column);
  }
  return columns;
}

List* units_of(const AskedNode& asked) {
  List* units = NIL;
  for (int i = 0; i < list_length(asked.numbers); ++i) {
    auto* unit = static_cast<Unit*>(palloc0(sizeof(Unit)));
    unit->numbers = list_make1_int(i);
    units = lappend(units, unit);
  }
  ListCell* inner;
  for (auto* bitmapset : list<Bitmapset>(asked.combined)) {
    Unit* first = nullptr;
    foreach (inner, units) {
      auto* unit = static_cast<Unit*>(lfirst(inner));
      if (!bms_overlap(columns_of(asked, *unit), bitmapset)) continue;
      if (first == nullptr) {
        first = unit;
      } else {
        first->numbers = list_concat(first->numbers, unit->numbers);
        units = foreach_delete_current(units, inner);
      }
    }
  }
  return units;
}

// --- what a node gives again ---

// A number, and what is kept of it.
struct Pick {
  const AskedNumber* number;
  const KeptAnswer* answer;
};

struct Found {
  const KeptAnswer* groups;
  List* picks;         // of Pick
  Bitmapset* columns;  // of these numbers, from 0
  List* rows;          // of HeapTuple; columns that were not found are NULL
};

// False if the texts cannot be read any more.
bool put_together(const AskedNode& asked, Found* found) {
  TupleDesc columns = columns_of_answers(asked.node);
  const int width = list_length(asked.keys) + 1;
  const int rows = list_length(found->groups->texts) / width;
  auto** texts = static_cast<char**>(palloc0(sizeof(char*) * columns->natts * (rows + 1)));
  const auto put = [&](int column, const KeptAnswer* answer, int place) {
    for (int row = 0; row < rows; ++row) {
      texts[row * columns->natts + column] =
          static_cast<char*>(list_nth(answer->texts, row * width + place));
    }
  };
  ListCell* cell;
  foreach (cell, asked.keys) put(lfirst_int(cell), found->groups, foreach_current_index(cell));
  for (const auto* pick : list<Pick>(found->picks)) {
    const Bitmapset* shown = columns_of(asked, *pick->number);
    int column = -1;
    while ((column = bms_next_member(shown, column)) >= 0) put(column, pick->answer, width - 1);
  }
  List* all = NIL;
  for (int i = 0; i < rows * columns->natts; ++i) all = lappend(all, texts[i]);
  return read_rows(columns, all, &found->rows);
}

// What the units have chosen. False if it cannot be read any more.
bool take_chosen(const Search& search, const KeptAnswer* groups, Found* found) {
  *found = {groups, NIL, nullptr, NIL};
  for (const auto* unit : list<Unit>(search.units)) {
    for (int i = 0; i < list_length(unit->chosen); ++i) {
      auto* pick = static_cast<Pick*>(palloc(sizeof(Pick)));
      *pick = {&number_in(*search.asked, list_nth_int(unit->numbers, i)),
               static_cast<const KeptAnswer*>(list_nth(unit->chosen, i))};
      found->picks = lappend(found->picks, pick);
      found->columns = bms_add_members(found->columns, columns_of(*search.asked, *pick->number));
    }
  }
  return put_together(*search.asked, found);
}

bool find_all(const Search& search, Taken taken, Found* found) {
  for (const auto* groups : list<KeptAnswer>(kept_of(search, 0))) {
    if (choose_all(search, groups, taken) == list_length(search.units) &&
        take_chosen(search, groups, found)) {
      return true;
    }
  }
  return false;
}

bool find_some(const Search& search, Found* found) {
  const Taken taken = search.may_refine ? Taken::kRefined : Taken::kFree;
  for (auto* inner_list : list<List>(search.kept)) {
    for (const auto* groups : list<KeptAnswer>(inner_list)) {
      if (choose_all(search, groups, taken) > 0 && take_chosen(search, groups, found)) {
        return true;
      }
    }
  }
  return false;
}

// All of its numbers, with the same groups, free if that can be, or else with some that are to be
// refined; or, where it always has the same groups, those that there are. False if there are none.
bool find_answers(const AskedNode& asked, bool may_refine, Found* found) {
  Search search{&asked, may_refine, NIL, units_of(asked)};
  for (const auto* number : list<AskedNumber>(asked.numbers)) {
    search.kept = lappend(search.kept, kept_answers(*number));
  }
  if (find_all(search, Taken::kFree, found)) return true;
  if (may_refine && find_all(search, Taken::kRefined, found)) return true;
  if (asked.has_same_groups && find_some(search, found)) return true;
  *found = {nullptr, NIL, nullptr, NIL};
  return false;
}

bool is_given(const Found& found, const AskedNumber& number) {
  return bms_is_member(number.column, found.columns);
}

bool is_whole(const AskedNode& asked, const Found& found) {
  return list_length(found.picks) == list_length(asked.numbers);
}

bool is_free(const Found& found) {
  for (const auto* pick : list<Pick>(found.picks)) {
    if (!pick->answer->is_enough) return false;
  }
  return true;
}

// What it costs is known from here on.
void mark_given(const Found& found) {
  for (const auto* pick : list<Pick>(found.picks)) {
    if (pick->answer->is_enough) {
      charge_nothing(pick->number->call);
    } else {
      charge_refined(*pick->number, *pick->answer);
    }
  }
}

void give(const AskedNode& asked, const Found& found) {
  if (is_whole(asked, found)) {
    give_again(asked.node, found.rows);
  } else if (found.columns != nullptr) {
    fill_in(asked.node, found.rows, found.columns, asked.keys);
  }
}

// A node, and what is kept of what it asks for.
struct Known {
  AskedNode* asked;
  Found found;
};

void give_known(const Known& known) {
  mark_given(known.found);
  give(*known.asked, known.found);
}

// --- what is to be refined, and drawn ---

struct Unfinished {
  const AskedNode* asked;
  Found found;
  List* locked;  // of LockedNumber: those that are to be refined
};

// Has the node keep those of its numbers that it draws. Of those that are given nobody needs to
// wait; those that are refined stay locked. at: before anything is charged.
Unfinished* finish_later(const AskedNode* asked, const Found& found, const List* numbers,
                         TimestampTz at) {
  auto* unfinished = static_cast<Unfinished*>(palloc0(sizeof(Unfinished)));
  *unfinished = {asked, found, NIL};
  List* drawn = NIL;
  for (auto* locked : list<LockedNumber>(numbers)) {
    if (locked->asked != asked) continue;
    if (!is_given(found, *locked->number)) {
      drawn = lappend(drawn, locked);
    } else if (locked->number->call->charge.paid != nullptr) {
      unfinished->locked = lappend(unfinished->locked, locked);
    } else {
      locked->lock.release();
    }
  }
  if (drawn != NIL) keep_when_drawn(*asked, drawn, at);
  return unfinished;
}

// Whether the transaction has changed a table that the query reads, or may have: who does holds a
// lock of it that readers have not, to the end of the transaction, or of the subtransaction that
// takes the changes back. What the query itself changes it does not read by that entry.
bool reads_changed_tables(EState* state) {
  int number = 0;
  for (const auto* entry : list<RangeTblEntry>(state->es_range_table)) {
    const bool is_changed = list_member_int(state->es_plannedstmt->resultRelations, ++number);
    if (entry->rtekind != RTE_RELATION || is_changed) continue;
    Relation table = table_open(entry->relid, NoLock);
    const bool may_have_changed = CheckRelationLockedByMe(table, RowExclusiveLock, true);
    table_close(table, NoLock);
    if (may_have_changed) return true;
  }
  return false;
}

// Answers about rows of the past are those of the transaction that sees them, and so are those
// about rows that are its own.
bool may_keep(EState* state) {
  return !RecoveryInProgress() && !IsolationUsesXactSnapshot() && !reads_changed_tables(state) &&
         !reads_with_old_snapshot(state) && !may_be_of_the_past(state);
}

}  // namespace

List* repeat_answers(RunningQuery& query, const List* nodes, bool runs) {
  if (!query.reads_hidden_rows || nodes == NIL) return NIL;
  const bool keeps = may_keep(static_cast<PlanState*>(linitial(nodes))->state);
  List* left = NIL;
  List* whole = NIL;  // of Known: all that they ask for, as it is
  for (auto* state : list<PlanState>(nodes)) {
    AskedNode* asked = asked_of(query, state);
    if (asked == nullptr) continue;
    Known known{asked, {}};
    if (find_answers(*asked, keeps, &known.found) && is_whole(*asked, known.found) &&
        is_free(known.found)) {
      auto* copy = static_cast<Known*>(palloc(sizeof(Known)));
      *copy = known;
      whole = lappend(whole, copy);
    } else {
      left = lappend(left, asked);
    }
  }
  left = share_draws(left);
  // A number that is drawn anew, for an average with its sum, is the new one in all places.
  for (const auto* known : list<Known>(whole)) {
    if (!shares_draw(left, *known->asked)) give_known(*known);
  }
  if (!runs || !keeps) {
    for (auto* asked : list<AskedNode>(left)) {
      Known known{asked, {}};
      (void)find_answers(*asked, keeps, &known.found);
      give_known(known);
    }
    return NIL;
  }
  if (left == NIL) return NIL;
  prepare_to_write();
  const List* numbers = lock_numbers(left);
  const TimestampTz at = GetCurrentTimestamp();
  List* unfinished = NIL;
  for (const auto* asked : list<AskedNode>(left)) {
    Found found;
    (void)find_answers(*asked, true, &found);  // others may have drawn some meanwhile
    mark_given(found);
    unfinished = lappend(unfinished, finish_later(asked, found, numbers, at));
  }
  return unfinished;
}

void share_answers(RunningQuery& query, const List* nodes) {
  if (!query.reads_hidden_rows) return;
  List* all = NIL;
  for (auto* state : list<PlanState>(nodes)) {
    if (AskedNode* asked = asked_of(query, state)) all = lappend(all, asked);
  }
  (void)share_draws(all);
}

void finish_answers(const RunningQuery& query, List* unfinished) {
  bool any = false;
  for (auto* one : list<Unfinished>(unfinished)) {
    for (auto* pick : list<Pick>(one->found.picks)) {
      if (pick->answer->is_enough) continue;
      pick->answer = refined_answer(*one->asked, *pick->number, pick->answer->at);
      any = true;
    }
    for (auto* number : list<LockedNumber>(one->locked)) number->lock.release();
    if (one->locked != NIL && !put_together(*one->asked, &one->found)) {
      elog(ERROR, "answers that were refined cannot be read");
    }
    give(*one->asked, one->found);
  }
  if (!any) return;
  make_durable();
  require_period(query.charged_until);
}

}  // namespace idp
