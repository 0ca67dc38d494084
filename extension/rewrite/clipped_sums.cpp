#include "extension/rewrite/clipped_sums.h"

#include "extension/access/plain_settings.h"
#include "extension/domain/all_groups.h"
#include "extension/domain/computed_below.h"
#include "extension/domain/keys_below.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/groups.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/plan/identity.h"
#include "extension/rewrite/clipped_values.h"
#include "extension/rewrite/counted_units.h"
#include "extension/rewrite/found_bounds.h"
#include "extension/rewrite/grouped_units.h"
#include "extension/rewrite/symmetric_sums.h"
#include "extension/rewrite/unit_column.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "rewrite/rewriteManip.h"
}

#include <algorithm>

namespace idp {

namespace {

// --- whether a level can read its rows from a subquery ---

bool can_move(const Query* query) {
  return query->commandType == CMD_SELECT && query->rowMarks == NIL && !query->hasModifyingCTE &&
         !query->hasRecursive && !names_rows_from_above(query);
}

// --- the move ---

struct How {
  int64 most_groups;  // as in Clipping, as is the next
  bool finds;
  bool computes_keys = false;  // whether the rows have the keys of the groups as columns
  // whether the level computes keys itself that subqueries computed (domain/computed_below.h)
  bool computes_below = false;
};

struct Move {
  const QueryLevel* level;
  Query* rows;
  Index groups;  // entry_of_groups() of the level
  int64 most;    // as in Clipping
  const How& how;
  Bitmapset* found = nullptr;  // the columns of the rows that are sums as they are
  bool clips_any = false;
  bool needs_groups = false;  // of units, whose values are aggregates of their rows
  bool leaves_any = false;
  bool is_aggregated = false;  // whether the expression at work is
};

// The column of the rows with that value, which is added where there is none.
Node* given_by_rows(Move& move, Node* value, const char* name) {
  return column_showing(&move.rows->targetList, value, name);
}

Node* clipped(const ClippedValue& value, void* context) {
  auto& move = *static_cast<Move*>(context);
  auto* call = makeNode(WindowFunc);
  call->winfnoid = own_function("clip");
  call->wintype = NUMERICOID;
  move.needs_groups |= contain_aggs_of_level(value.value, 0);
  move.clips_any |= !value.is_of_units;
  call->args = list_make2(value.value, value.bound);
  call->winref = 1;
  call->location = -1;
  Node* column = given_by_rows(move, as<Node>(call), "clipped");
  if (value.is_found) {
    move.found = bms_add_member(move.found, as<Var>(column)->varattno);
  }
  return column;
}

Node* over_rows(Node* node, void* context);

// An aggregate that is not clipped. What it aggregates is of the rows.
Node* aggregate_over_rows(const Aggref* plain, Move& move) {
  move.leaves_any = true;
  const bool outside = move.is_aggregated;
  move.is_aggregated = true;
  auto* aggregate =
      as<Aggref>(map_expression(as<Node>(const_cast<Aggref*>(plain)), over_rows, &move));
  move.is_aggregated = outside;
  aggregate->aggdirectargs =
      reinterpret_cast<List*>(over_rows(as<Node>(plain->aggdirectargs), &move));
  return as<Node>(aggregate);
}

Node* over_rows(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  auto& move = *static_cast<Move*>(context);
  if (IsA(node, Query)) return node;  // it names nothing that moves
  const bool is_key = move.how.computes_keys && !move.is_aggregated && !IsA(node, List) &&
                      list_member(grouped_expressions(move.level->query), node);
  if (is_key && names_columns(node) && !contain_volatile_functions(node)) {
    return given_by_rows(move, static_cast<Node*>(copyObjectImpl(node)), "key");
  }
  if (IsA(node, Var)) {
    auto* column = as<Var>(node);
    if (column->varlevelsup > 0) return node;
    if (move.groups > 0 && static_cast<Index>(column->varno) == move.groups) {
      return column_of_groups(column, 2);
    }
    const char* name =
        column->varattno > 0 ? name_of_column(move.level->query, column) : "whole_row";
    return given_by_rows(move, static_cast<Node*>(copyObjectImpl(node)), name);
  }
  // One that is aggregated may name columns of the rows, and their CTEs, from within.
  if (IsA(node, SubLink) && move.is_aggregated) {
    return given_by_rows(move, static_cast<Node*>(copyObjectImpl(node)), "subquery");
  }
  const Clipping clipping{move.most, move.how.most_groups, move.how.finds, clipped, &move};
  SumByKey sum;
  Node* of_units =
      read_sum_by_key(node, &sum) ? sum_of_clipped_units(*move.level, sum, clipping) : nullptr;
  if (of_units != nullptr) return of_units;
  if (IsA(node, Aggref)) {
    const auto* plain = as<Aggref>(node);
    Node* answer = answer_of_clipped(*move.level, plain, clipping);
    return answer != nullptr ? answer : aggregate_over_rows(plain, move);
  }
  return map_expression(node, over_rows, context);
}

// --- conditions ---

struct Outside {
  const Query* rows;
  bool has_columns;
};

// What is no column that the rows give, or may not be asked again.
bool find_other(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* outside = static_cast<Outside*>(context);
  if (IsA(node, Var)) {
    outside->has_columns = true;
    for (const auto* target : list<TargetEntry>(outside->rows->targetList)) {
      if (equal(target->expr, node)) return false;
    }
    return true;
  }
  return IsA(node, SubLink) || IsA(node, Query) || walk_expression(node, find_other, context);
}

// Those that the rows fulfil, on columns that they give, again: keys of groups fulfil them too.
Node* conditions_on(Move& move) {
  Node* found = nullptr;
  auto* all = static_cast<Node*>(copyObjectImpl(move.level->query->jointree->quals));
  for (auto* condition : list<Node>(conjuncts(all))) {
    Outside outside{move.rows, false};
    if (find_other(condition, &outside) || !outside.has_columns ||
        contain_volatile_functions(condition)) {
      continue;
    }
    found = make_and_qual(found, over_rows(condition, &move));
  }
  return found;
}

// To find bounds costs as much as bounds that are two to five times too large (docs/noise.md).
// Those of this many rows, each of the greatest value, are likely to be more than that.
constexpr int64 kManyRows = 8;

// Whether groups follow from the unit: there are none, or they are by columns of its own table.
bool follow_from_unit(const QueryLevel& level) {
  for (const auto* node : list<Node>(grouped_expressions(level.query))) {
    const TableColumn column = origin_of(level, node);
    if (!OidIsValid(column.table) || !is_unit_table(column.table)) return false;
  }
  return true;
}

// In how many groups a unit may be that has so many rows.
int64 most_groups_of(const QueryLevel& level, int64 rows) {
  if (level.query->groupingSets != NIL) return 0;
  if (follow_from_unit(level)) return 1;
  int64 number = 1;
  for (const auto* key : list<Node>(grouped_expressions(level.query))) {
    const int64 keys = number_of_listed_keys(level.query, key);
    if (keys == 0 || number > rows) return rows;
    number *= keys;
  }
  return std::min(number, rows);
}

int by_place(const ListCell* a, const ListCell* b) {
  const auto* one = as<Var>(static_cast<const TargetEntry*>(lfirst(a))->expr);
  const auto* other = as<Var>(static_cast<const TargetEntry*>(lfirst(b))->expr);
  return one->varno != other->varno ? static_cast<int>(one->varno) - static_cast<int>(other->varno)
                                    : one->varattno - other->varattno;
}

const void* value_of_target(const void* target) {
  return static_cast<const TargetEntry*>(target)->expr;
}

// Columns of the table as they stand there, then what is computed. They come in one order, however
// the query lists them: then numbers are the same that are asked again (answers/numbers.h).
List* in_order(List* targets) {
  List* columns = NIL;
  List* computed = NIL;
  for (auto* target : list<TargetEntry>(targets)) {
    List*& part = IsA(target->expr, Var) ? columns : computed;
    part = lappend(part, target);
  }
  list_sort(columns, by_place);
  columns = list_concat(columns, in_order_of_identity(computed, value_of_target));
  AttrNumber number = 0;
  for (auto* target : list<TargetEntry>(columns)) target->resno = ++number;
  return columns;
}

// Whether everybody may know the keys of what a level groups by.
bool has_all_groups(const Query* query) { return give_groups_of(copy_of(query)); }

ClippedSums move_rows(const QueryLevel& level, int64 most, const List* path, const How& how,
                      List* columns = NIL);

// Where the keys that the rows have as columns are not those of all groups: a level that computes
// them itself, or else groups as they are.
ClippedSums move_rows_without_keys(const QueryLevel& level, int64 most, const List* path,
                                   const How& how) {
  if (how.computes_below) return {nullptr, true};
  Query* computed = with_computed_columns(level.query);
  if (computed != nullptr) {
    How there = how;
    there.computes_below = true;
    const ClippedSums sums = move_rows({computed, level.outer}, most, path, there);
    if (sums.rows != nullptr) {
      *level.query = *computed;
      return sums;
    }
  }
  return move_rows(level, most, path, {0, false});
}

// columns: those of the rows, in their order; NIL while they are not known.
ClippedSums move_rows(const QueryLevel& whole, int64 most, const List* path, const How& how,
                      List* columns) {
  // Keys are tried on a copy: what is known of the queries below (readers) stays true of them.
  Query* query = how.computes_keys ? copy_of(whole.query) : whole.query;
  const QueryLevel level{query, whole.outer};
  const Index groups = entry_of_groups(query);
  Move move{&level, rows_of(query), groups, most, how};
  move.rows->targetList = columns;
  const auto moved = [&](Node* expression) { return over_rows(expression, &move); };
  Node* grouped = groups > 0 ? moved(as<Node>(grouped_expressions(query))) : nullptr;
  auto* targets = reinterpret_cast<List*>(moved(as<Node>(query->targetList)));
  Node* having = moved(query->havingQual);
  // units in no groups at all are counted as they are
  const bool is_left = !move.clips_any && (!move.needs_groups || query->groupClause == NIL);
  if (is_left) return {nullptr, true};
  Node* conditions = conditions_on(move);
  const bool groups_units =
      !move.leaves_any && can_group(move.rows, grouped_expressions(query), how.computes_keys);
  if ((how.finds || move.needs_groups) && !groups_units) {
    const bool computes_keys = move.needs_groups && !move.leaves_any && !how.computes_keys;
    return move_rows(whole, most, path,
                     {computes_keys ? how.most_groups : 0, false, computes_keys});
  }
  if (columns == NIL) return move_rows(whole, most, path, how, in_order(move.rows->targetList));
  Var* unit = give_unit({move.rows, level.outer}, path);
  Query* read = move.rows;
  if (groups_units) {
    read = group_by_unit(move.rows, unit, move.found);
    if (move.found != nullptr) warn_of_found_bounds_of_persons();
  } else {
    partition_by(move.rows, unit);
  }
  change_grouped(query, [&](Node*) { return grouped; });
  query->targetList = targets;
  query->havingQual = having;
  read_rows(query, read, "rows_of_units", conditions);
  IncrementVarSublevelsUp(as<Node>(move.rows), read == move.rows ? 1 : 2, 1);
  if (how.computes_keys) {
    leave_out_rows_below(query);
    if (!has_all_groups(query)) return move_rows_without_keys(whole, most, path, how);
    *whole.query = *query;
  }
  return {move.rows, move.leaves_any};
}

}  // namespace

ClippedSums clip_sums(const QueryLevel& level, int64 most) {
  const ClippedSums none{nullptr, true};
  if (!can_move(level.query) || !OidIsValid(own_function("clip"))) return none;
  const List* path = path_to_unit(level);
  if (path == NIL) return none;
  const bool finds = most >= kManyRows && follow_from_unit(level);
  return move_rows(level, most, path, {most_groups_of(level, most), finds});
}

}  // namespace idp
