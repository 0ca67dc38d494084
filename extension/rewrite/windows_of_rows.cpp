#include "extension/rewrite/windows_of_rows.h"

#include <utility>

#include "extension/domain/computed_below.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/keys.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/outer_joins.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/rights.h"
#include "extension/pg/statement_room.h"
#include "extension/pg/versions.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/rewrite/same_rows.h"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "optimizer/tlist.h"
#include "access/htup_details.h"
#include "nodes/value.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

struct Found {
  Node** place = nullptr;  // of the join
  int table = 0;           // the entry that has the row
  int windows = 0;         // and the one that computes windows of it
};

// The one column of a table that a subquery reads as a whole, and computes windows of; null if the
// column is something else.
const Var* column_of_rows(const RangeTblEntry* entry, const Var* column) {
  if (entry->rtekind != RTE_SUBQUERY || entry->lateral || entry->security_barrier ||
      !entry->subquery->hasWindowFuncs || !takes_only(entry->subquery, step::kWindows)) {
    return nullptr;
  }
  const int within = only_entry(entry->subquery);
  if (within == 0 || !reads_whole_table(rt_fetch(within, entry->subquery->rtable))) return nullptr;
  const TargetEntry* target = column_shown(entry->subquery->targetList, column->varattno);
  const auto* below = target == nullptr ? nullptr : maybe<Var>(as<Node>(target->expr));
  return below != nullptr && below->varlevelsup == 0 ? below : nullptr;
}

bool tells_rows_apart(const RangeTblEntry* entry, const Var* column, const OpExpr* equality) {
  if (!reads_whole_table(entry)) return false;
  if (entry->relkind == RELKIND_RELATION && has_subclass(entry->relid)) return false;
  const UniqueKey* key = unique_key_on(entry->relid, column->varattno, snapshot_at_work());
  return key != nullptr && key->without_nulls &&
         is_equality_of(key->columns[0].family, equality->opno, equality->inputcollid);
}

// Whether both read the table by the same rights.
bool are_rows_of(const Query* query, const RangeTblEntry* table, const RangeTblEntry* windows) {
  const Query* rows = windows->subquery;
  const RangeTblEntry* read = rt_fetch(only_entry(rows), rows->rtable);
  return read->relid == table->relid && read->inh == table->inh &&
         list_length(read->securityQuals) == list_length(table->securityQuals) &&
         rights_of(rows, read)->checkAsUser == rights_of(query, table)->checkAsUser;
}

bool joins_windows(Query* query, const JoinExpr* join, Found* found) {
  const List* conditions = conjuncts(join->quals);
  const bool is_known = (join->jointype == JOIN_INNER || join->jointype == JOIN_LEFT) &&
                        IsA(join->rarg, RangeTblRef) && list_length(conditions) == 1 &&
                        (join->rtindex == 0 || !names_column_of(query, join->rtindex));
  if (!is_known) return false;
  auto* condition = static_cast<Node*>(linitial(conditions));
  Var* left = nullptr;
  Var* right = nullptr;
  if (!equates_columns(condition, &left, &right)) return false;
  const int joined = as<RangeTblRef>(join->rarg)->rtindex;
  if (static_cast<int>(left->varno) == joined) std::swap(left, right);
  const auto kept = static_cast<Index>(left->varno);
  if (static_cast<int>(right->varno) != joined || left->varlevelsup > 0 || right->varlevelsup > 0 ||
      left->varattno <= 0 || right->varattno <= 0 || !holds(join->larg, kept) ||
      may_be_absent(join->larg, kept)) {
    return false;
  }
  const RangeTblEntry* left_entry = rt_fetch(kept, query->rtable);
  const RangeTblEntry* right_entry = rt_fetch(joined, query->rtable);
  const bool table_is_left = left_entry->rtekind == RTE_RELATION;
  const RangeTblEntry* table = table_is_left ? left_entry : right_entry;
  const RangeTblEntry* windows = table_is_left ? right_entry : left_entry;
  const Var* key = table_is_left ? left : right;
  const Var* below = column_of_rows(windows, table_is_left ? right : left);
  if (below == nullptr || table->rtekind != RTE_RELATION || below->varattno != key->varattno ||
      !tells_rows_apart(table, key, as<OpExpr>(condition)) || !are_rows_of(query, table, windows)) {
    return false;
  }
  // a row that the subquery leaves out would have no windows
  const bool leaves_out = windows->subquery->jointree->quals != nullptr;
  if (join->jointype == JOIN_LEFT && table_is_left && leaves_out) return false;
  found->table = table_is_left ? static_cast<int>(kept) : joined;
  found->windows = table_is_left ? joined : static_cast<int>(kept);
  return !names_whole_row(query, found->table);
}

bool find_in(Node** part, Query* query, Found* found) {
  check_stack_depth();
  if (!IsA(*part, JoinExpr)) return false;
  auto* join = as<JoinExpr>(*part);
  if (find_in(&join->larg, query, found) || find_in(&join->rarg, query, found)) return true;
  if (!joins_windows(query, join, found)) return false;
  found->place = part;
  return true;
}

struct Move {
  Query* query;
  int table;
  int windows;
  Index depth = 0;
  bool is_asking = true;  // for the columns that are named
  Bitmapset* named = nullptr;
  const AttrNumber* numbers = nullptr;  // by column of the table, once they are known
};

bool move_columns(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* move = static_cast<Move*>(context);
  if (IsA(node, Var)) {
    auto* column = as<Var>(node);
    if (column->varlevelsup != move->depth || static_cast<int>(column->varno) != move->table ||
        column->varattno <= 0) {
      return false;
    }
    if (move->is_asking) {
      move->named = bms_add_member(move->named, column->varattno);
      return false;
    }
    column->varno = move->windows;
    column->varattno = move->numbers[column->varattno];
    return false;
  }
  if (!IsA(node, Query)) return walk_expression(node, move_columns, context);
  ++move->depth;
  (void)walk_query(as<Query>(node), move_columns, context);
  --move->depth;
  return false;
}

// The columns of the subquery that show those of its table, added where there are none.
AttrNumber* columns_given(const Move& move) {
  RangeTblEntry* entry = rt_fetch(move.windows, move.query->rtable);
  Query* rows = entry->subquery;
  const int within = only_entry(rows);
  const Oid table = rt_fetch(within, rows->rtable)->relid;
  auto* numbers =
      static_cast<AttrNumber*>(palloc0(sizeof(AttrNumber) * (MaxHeapAttributeNumber + 1)));
  int number = -1;
  while ((number = bms_next_member(move.named, number)) >= 0) {
    Var* column = column_of_table(within, table, static_cast<AttrNumber>(number));
    numbers[number] = give_column(rows, as<Node>(column));
    List*& names = entry->eref->colnames;
    if (numbers[number] > list_length(names)) {
      names =
          lappend(names, makeString(get_attname(table, static_cast<AttrNumber>(number), false)));
    }
  }
  return numbers;
}

void put_in_place(Node* from, int table, int windows) {
  if (IsA(from, RangeTblRef)) {
    auto* reference = as<RangeTblRef>(from);
    if (reference->rtindex == table) reference->rtindex = windows;
    return;
  }
  if (!IsA(from, JoinExpr)) return;
  put_in_place(as<JoinExpr>(from)->larg, table, windows);
  put_in_place(as<JoinExpr>(from)->rarg, table, windows);
}

// The entry of the table stays for the rights that it asks for.
void take_out(Query* query, const Found& found) {
  auto* join = as<JoinExpr>(*found.place);
  *found.place = join->larg;
  put_in_place(join->larg, found.table, found.windows);
  if (join->rtindex > 0) {
    list_nth_cell(query->rtable, join->rtindex - 1)->ptr_value =
        new_entry(RTE_RESULT, "*RESULT*", NIL);
    if (join->jointype == JOIN_LEFT) forget_nulls_of(query, join->rtindex);
  }
  Move move{query, found.table, found.windows};
  (void)walk_query(query, move_columns, &move);
  move.numbers = columns_given(move);
  move.is_asking = false;
  (void)walk_query(query, move_columns, &move);
}

}  // namespace

void read_windows_of_rows(Query* query) {
  const bool may_change = query->commandType == CMD_SELECT && query->jointree != nullptr &&
                          query->setOperations == nullptr && query->rowMarks == NIL;
  ListCell* cell;
  foreach (cell, may_change ? query->jointree->fromlist : NIL) {
    Found found;
    while (find_in(reinterpret_cast<Node**>(&lfirst(cell)), query, &found)) {
      take_out(query, found);
      found = {};
    }
  }
}

}  // namespace idp
