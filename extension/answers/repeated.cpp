#include "extension/answers/repeated.h"

#include "extension/answers/kept_answers.h"
#include "extension/answers/node.h"
#include "extension/answers/numbers.h"
#include "extension/answers/row_texts.h"
#include "extension/catalog/store.h"

extern "C" {
#include "access/xact.h"
#include "access/xlog.h"
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
  List* kept;   // of List of KeptAnswer, for each number
  List* units;  // of Unit
};

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

// The last of a number with these groups, of any time or of this one; null if there is none.
const KeptAnswer* last_of(const Search& search, int number, const KeptAnswer* groups,
                          const TimestampTz* at) {
  ListCell* cell;
  foreach (cell, kept_of(search, number)) {
    const auto* answer = static_cast<const KeptAnswer*>(lfirst(cell));
    if (at != nullptr && answer->at != *at) continue;
    if (have_same_keys(search, answer, groups)) return answer;
  }
  return nullptr;
}

// The answers of a unit that one draw gave, the last such draw; NIL if there is none.
List* choose(const Search& search, const Unit& unit, const KeptAnswer* groups) {
  ListCell* cell;
  ListCell* inner;
  foreach (cell, kept_of(search, linitial_int(unit.numbers))) {
    const TimestampTz at = static_cast<const KeptAnswer*>(lfirst(cell))->at;
    List* chosen = NIL;
    foreach (inner, unit.numbers) {
      const KeptAnswer* answer = last_of(search, lfirst_int(inner), groups, &at);
      if (answer != nullptr) chosen = lappend(chosen, const_cast<KeptAnswer*>(answer));
    }
    if (list_length(chosen) == list_length(unit.numbers)) return chosen;
  }
  return NIL;
}

// How many units have answers with these groups, which they keep.
int choose_all(const Search& search, const KeptAnswer* groups) {
  int count = 0;
  ListCell* cell;
  foreach (cell, search.units) {
    auto* unit = static_cast<Unit*>(lfirst(cell));
    unit->chosen = choose(search, *unit, groups);
    count += unit->chosen != NIL;
  }
  return count;
}

Bitmapset* columns_of(const AskedNode& asked, const Unit& unit) {
  Bitmapset* columns = nullptr;
  ListCell* cell;
  foreach (cell, unit.numbers) {
    const auto* number = static_cast<const AskedNumber*>(list_nth(asked.numbers, lfirst_int(cell)));
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
  ListCell* cell;
  ListCell* inner;
  foreach (cell, asked.combined) {
    Unit* first = nullptr;
    foreach (inner, units) {
      auto* unit = static_cast<Unit*>(lfirst(inner));
      if (!bms_overlap(columns_of(asked, *unit), static_cast<Bitmapset*>(lfirst(cell)))) continue;
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

struct Found {
  List* rows;          // of HeapTuple; columns that were not found are NULL
  Bitmapset* columns;  // from 0
};

// The rows of a node, of the answers that were chosen. False if they cannot be read any more.
bool put_together(const Search& search, const KeptAnswer* groups, Found* found) {
  const AskedNode& asked = *search.asked;
  TupleDesc columns = columns_of_answers(asked.node);
  const int width = key_count(search) + 1;
  const int rows = list_length(groups->texts) / width;
  auto** texts = static_cast<char**>(palloc0(sizeof(char*) * columns->natts * (rows + 1)));
  const auto put = [&](int column, const KeptAnswer* answer, int place) {
    for (int row = 0; row < rows; ++row) {
      texts[row * columns->natts + column] =
          static_cast<char*>(list_nth(answer->texts, row * width + place));
    }
  };
  ListCell* cell;
  foreach (cell, asked.keys) put(lfirst_int(cell), groups, foreach_current_index(cell));
  found->columns = nullptr;
  foreach (cell, search.units) {
    const auto* unit = static_cast<const Unit*>(lfirst(cell));
    for (int i = 0; i < list_length(unit->chosen); ++i) {
      const auto* number =
          static_cast<const AskedNumber*>(list_nth(asked.numbers, list_nth_int(unit->numbers, i)));
      put(number->column, static_cast<const KeptAnswer*>(list_nth(unit->chosen, i)), width - 1);
      found->columns = bms_add_member(found->columns, number->column);
    }
  }
  List* all = NIL;
  for (int i = 0; i < rows * columns->natts; ++i) all = lappend(all, texts[i]);
  return read_rows(columns, all, &found->rows);
}

// All of its numbers, with the same groups; or else, where it always has the same groups, those
// that there are. False if there are none.
bool find_answers(const AskedNode& asked, Found* found) {
  Search search{&asked, NIL, units_of(asked)};
  ListCell* cell;
  ListCell* inner;
  foreach (cell, asked.numbers) {
    search.kept =
        lappend(search.kept, kept_answers(*static_cast<const AskedNumber*>(lfirst(cell))));
  }
  foreach (cell, kept_of(search, 0)) {
    const auto* groups = static_cast<const KeptAnswer*>(lfirst(cell));
    if (choose_all(search, groups) == list_length(search.units) &&
        put_together(search, groups, found)) {
      return true;
    }
  }
  if (!asked.has_same_groups) return false;
  foreach (cell, search.kept) {
    foreach (inner, static_cast<List*>(lfirst(cell))) {
      const auto* groups = static_cast<const KeptAnswer*>(lfirst(inner));
      if (choose_all(search, groups) > 0 && put_together(search, groups, found)) return true;
    }
  }
  return false;
}

bool is_given(const Found& found, const AskedNumber& number) {
  return bms_is_member(number.column, found.columns);
}

void give(const AskedNode& asked, const Found& found) {
  bool gives_all = true;
  ListCell* cell;
  foreach (cell, asked.numbers) {
    const auto* number = static_cast<const AskedNumber*>(lfirst(cell));
    if (!is_given(found, *number)) {
      gives_all = false;
      continue;
    }
    number->call->charge.is_repeated = number->call->charge.is_idle = true;
    number->call->charge.accounts = NIL;
  }
  if (gives_all) {
    give_again(asked.node, found.rows);
  } else {
    fill_in(asked.node, found.rows, found.columns, asked.keys);
  }
}

// --- keeping ---

uint32 lock_of(const AskedNumber& number) {
  uint32 place;
  memcpy(&place, VARDATA(number.key), sizeof place);
  return place;
}

// A number that somebody is about to draw.
struct Drawn {
  const AskedNode* asked;
  const AskedNumber* number;
  StoreLock lock;
};

// Those that one node draws.
struct Keeper {
  List* drawn;  // of Drawn
};

int compare_texts(const char* a, const char* b) {
  if (a == nullptr || b == nullptr) return (a != nullptr) - (b != nullptr);
  return strcmp(a, b);
}

// Lists of char*, by their texts.
int compare_groups(const ListCell* a, const ListCell* b) {
  ListCell* first;
  ListCell* second;
  forboth(first, static_cast<List*>(lfirst(a)), second, static_cast<List*>(lfirst(b))) {
    const int order = compare_texts(static_cast<const char*>(lfirst(first)),
                                    static_cast<const char*>(lfirst(second)));
    if (order != 0) return order;
  }
  return 0;
}

// Of rows with all columns the keys, and the number: group by group, in one order, whatever the
// statement asks for.
KeptAnswer answer_in(const AskedNode& asked, const AskedNumber& number, TimestampTz at,
                     const List* rows) {
  const int width = columns_of_answers(asked.node)->natts;
  List* groups = NIL;
  ListCell* cell;
  for (int first = 0; first < list_length(rows); first += width) {
    List* group = NIL;
    foreach (cell, asked.keys) group = lappend(group, list_nth(rows, first + lfirst_int(cell)));
    groups = lappend(groups, lappend(group, list_nth(rows, first + number.column)));
  }
  list_sort(groups, compare_groups);
  KeptAnswer answer{at, NIL};
  foreach (cell, groups) answer.texts = list_concat(answer.texts, static_cast<List*>(lfirst(cell)));
  return answer;
}

void keep(bool is_drawn, const List* rows, void* context) {
  const auto* keeper = static_cast<const Keeper*>(context);
  const TimestampTz at = GetCurrentTimestamp();
  ListCell* cell;
  foreach (cell, keeper->drawn) {
    auto* drawn = static_cast<Drawn*>(lfirst(cell));
    if (is_drawn) {
      keep_answer(*drawn->asked, *drawn->number,
                  answer_in(*drawn->asked, *drawn->number, at, rows));
    }
    drawn->lock.release();
  }
}

// Everybody locks numbers in one order.
List* locked(const List* nodes) {
  List* numbers = NIL;
  ListCell* cell;
  ListCell* inner;
  foreach (cell, nodes) {
    const auto* asked = static_cast<const AskedNode*>(lfirst(cell));
    foreach (inner, asked->numbers) {
      auto* drawn = static_cast<Drawn*>(palloc0(sizeof(Drawn)));
      drawn->asked = asked;
      drawn->number = static_cast<const AskedNumber*>(lfirst(inner));
      numbers = lappend(numbers, drawn);
    }
  }
  list_sort(numbers, [](const ListCell* a, const ListCell* b) {
    const uint32 first = lock_of(*static_cast<const Drawn*>(lfirst(a))->number);
    const uint32 second = lock_of(*static_cast<const Drawn*>(lfirst(b))->number);
    return first < second ? -1 : first > second ? 1 : 0;
  });
  foreach (cell, numbers) {
    auto* drawn = static_cast<Drawn*>(lfirst(cell));
    new (&drawn->lock) StoreLock(Table::kAnswer, lock_of(*drawn->number));
  }
  return numbers;
}

// Has the node keep those of its numbers that it draws; of the others nobody needs to wait.
void have_kept(const AskedNode* asked, const Found& found, const List* numbers) {
  auto* keeper = static_cast<Keeper*>(palloc0(sizeof(Keeper)));
  ListCell* cell;
  foreach (cell, numbers) {
    auto* drawn = static_cast<Drawn*>(lfirst(cell));
    if (drawn->asked != asked) continue;
    if (is_given(found, *drawn->number)) {
      drawn->lock.release();
    } else {
      keeper->drawn = lappend(keeper->drawn, drawn);
    }
  }
  if (keeper->drawn != NIL) hand_over(asked->node, keep, keeper);
}

}  // namespace

void repeat_answers(RunningQuery& query, const List* nodes, bool runs) {
  if (!query.reads_hidden_rows) return;
  // Answers about rows of the past are those of the transaction that sees them.
  const bool keeps = runs && !RecoveryInProgress() && !IsolationUsesXactSnapshot();
  List* left = NIL;
  ListCell* cell;
  foreach (cell, nodes) {
    AskedNode* asked = asked_of(query, static_cast<PlanState*>(lfirst(cell)));
    if (asked == nullptr) continue;
    Found found{NIL, nullptr};
    const bool is_found = find_answers(*asked, &found);
    const bool is_whole = bms_num_members(found.columns) == list_length(asked->numbers);
    if (is_found && (is_whole || !keeps)) {
      give(*asked, found);
    } else if (keeps) {
      left = lappend(left, asked);
    }
  }
  if (left == NIL) return;
  prepare_to_write();
  const List* numbers = locked(left);
  foreach (cell, left) {
    const auto* asked = static_cast<const AskedNode*>(lfirst(cell));
    Found found{NIL, nullptr};
    // others may have drawn some meanwhile
    if (find_answers(*asked, &found)) {
      give(*asked, found);
    } else {
      found.columns = nullptr;
    }
    have_kept(asked, found, numbers);
  }
}

}  // namespace idp
