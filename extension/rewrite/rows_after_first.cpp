#include "extension/rewrite/rows_after_first.h"

#include "extension/domain/asked_keys.h"
#include "extension/domain/ordered_time.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/fold.h"
#include "extension/pg/groups.h"
#include "extension/pg/keys.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/outer_joins.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/group_functions.h"
#include "extension/plan/used_columns.h"
#include "extension/rewrite/same_rows.h"

extern "C" {
#include "access/stratnum.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

// --- the first, and the last ---

enum class End { kNone, kFirst, kLast };

End end_of_function(Oid function) {
  switch (function) {
    case F_MIN_DATE:
    case F_MIN_TIMESTAMP:
    case F_MIN_TIMESTAMPTZ:
      return End::kFirst;
    case F_MAX_DATE:
    case F_MAX_TIMESTAMP:
    case F_MAX_TIMESTAMPTZ:
      return End::kLast;
    default:
      return End::kNone;
  }
}

struct OfRows {
  const Query* query;
  End end = End::kNone;
  int calls = 0;
};

// An expression with what is aggregated in place of min() and max().
Node* of_one_row(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  auto* found = static_cast<OfRows*>(context);
  Oid function = InvalidOid;
  Node* value = nullptr;
  if (IsA(node, Aggref)) {
    const auto* call = as<Aggref>(node);
    function = call->aggfnoid;
    if (call->aggfilter == nullptr && call->agglevelsup == 0 && list_length(call->args) == 1) {
      value = as<Node>(static_cast<const TargetEntry*>(linitial(call->args))->expr);
    }
  } else if (IsA(node, WindowFunc)) {
    const auto* call = as<WindowFunc>(node);
    function = call->winfnoid;
    if (call->aggfilter == nullptr && list_length(call->args) == 1 &&
        has_own_row(found->query, call)) {
      value = static_cast<Node*>(linitial(call->args));
    }
  } else {
    return map_expression(node, of_one_row, context);
  }
  ++found->calls;
  found->end = value == nullptr ? End::kNone : end_of_function(function);
  return found->end == End::kNone ? node : static_cast<Node*>(copyObjectImpl(value));
}

// Whether an expression is made of one column by what rounds instants down to a unit, as days and
// months are, in an order that clocks do not turn.
bool rounds_down(const Node* node) {
  if (IsA(node, Var)) return as<Var>(node)->varlevelsup == 0 && as<Var>(node)->varattno > 0;
  if (!IsA(node, FuncExpr)) return false;
  const auto* call = as<FuncExpr>(node);
  switch (call->funcid) {
    case F_DATE_TRUNC_TEXT_TIMESTAMP:
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
      return IsA(linitial(call->args), Const) &&
             rounds_down(static_cast<const Node*>(lsecond(call->args)));
    case F_TIMEZONE_TEXT_TIMESTAMP:
    case F_TIMEZONE_TEXT_TIMESTAMPTZ:
      return IsA(linitial(call->args), Const) &&
             rounds_down(static_cast<const Node*>(lsecond(call->args)));
    case F_DATE_TIMESTAMP:
    case F_DATE_TIMESTAMPTZ:
    case F_TIMESTAMP_DATE:
    case F_TIMESTAMPTZ_DATE:
    case F_TIMESTAMP_TIMESTAMPTZ:
    case F_TIMESTAMPTZ_TIMESTAMP:
      return rounds_down(static_cast<const Node*>(linitial(call->args)));
    default:
      return false;
  }
}

// What a column of a query is the first, or the last, of.
struct EndOfRows {
  End end = End::kNone;
  Node* value = nullptr;        // of one row: over a column of the query
  const Var* column = nullptr;  // that one
};

EndOfRows read_end(const Query* query, const TargetEntry* target) {
  OfRows found{query};
  Node* value = folded(of_one_row(as<Node>(target->expr), &found));
  if (found.calls != 1 || found.end == End::kNone || !rounds_down(value)) return {};
  const Var* column = only_column(value);
  const KeyColumn* key = column == nullptr ? nullptr : key_of_column(query, column);
  if (key == nullptr || !is_ordered_in_time(value, *key)) return {};
  return {found.end, value, column};
}

// --- the rows that it is compared with ---

Node* with_var(Node* node, void* column) {
  if (node == nullptr) return nullptr;
  if (IsA(node, Var)) return static_cast<Node*>(copyObjectImpl(column));
  return map_expression(node, with_var, column);
}

// Rows that may lack a value stay.
Node* compared(Node* value, const Var* end, End which, bool may_be_null) {
  Node* condition = comparison(
      value, which == End::kFirst ? BTGreaterEqualStrategyNumber : BTLessEqualStrategyNumber,
      static_cast<Node*>(copyObjectImpl(end)));
  if (!may_be_null) return condition;
  auto* test = makeNode(BooleanTest);
  test->arg = as<Expr>(condition);
  test->booltesttype = IS_NOT_FALSE;
  test->location = -1;
  return as<Node>(test);
}

bool is_named(const List* columns, const Var* column) {
  for (const auto* other : list<Var>(columns)) {
    if (other->varlevelsup == 0 && is_same_column(other, column)) return true;
  }
  return false;
}

bool has_value_of_table(const RangeTblEntry* entry, AttrNumber column) {
  return entry->rtekind == RTE_RELATION && is_not_null(entry->relid, column, snapshot_at_work());
}

// Whether a join, or WHERE, says of each row that has both entries that two columns are equal.
bool equates(const Node* from, const Var* one, const Var* other) {
  const auto says = [&](const Node* quals) {
    for (const auto* condition : list<Node>(conjuncts(quals))) {
      Var* a = nullptr;
      Var* b = nullptr;
      if (!equates_columns(condition, &a, &b)) continue;
      if ((is_same_column(a, one) && is_same_column(b, other)) ||
          (is_same_column(b, one) && is_same_column(a, other))) {
        return true;
      }
    }
    return false;
  };
  if (IsA(from, FromExpr)) {
    if (says(as<FromExpr>(from)->quals)) return true;
    for (const auto* part : list<Node>(as<FromExpr>(from)->fromlist)) {
      if (equates(part, one, other)) return true;
    }
    return false;
  }
  if (!IsA(from, JoinExpr)) return false;
  const auto* join = as<JoinExpr>(from);
  const auto first = static_cast<Index>(one->varno);
  const auto second = static_cast<Index>(other->varno);
  // a row for which it is not true lacks one of them
  const bool are_apart = (holds(join->larg, first) && holds(join->rarg, second)) ||
                         (holds(join->larg, second) && holds(join->rarg, first));
  if (are_apart && says(join->quals)) return true;
  return equates(join->larg, one, other) || equates(join->rarg, one, other);
}

// The column that a subquery groups by, of all rows of one table, and nothing else; null if it does
// not.
const Var* only_group(const Query* query) {
  constexpr unsigned kSteps = step::kAggregates | step::kGroups | step::kHaving;
  const int number = takes_only(query, kSteps) ? only_entry(query) : 0;
  if (number == 0 || query->jointree->quals != nullptr || list_length(query->groupClause) != 1 ||
      !reads_whole_table(rt_fetch(number, query->rtable))) {
    return nullptr;
  }
  return maybe<Var>(static_cast<const Node*>(linitial(grouped_expressions(query))));
}

// The column of the subquery that shows what it groups by.
Var* column_showing_group(const Query* query, int entry, const Var* group) {
  for (const auto* target : list<TargetEntry>(query->targetList)) {
    if (!target->resjunk && equal(target->expr, group)) return column_like(entry, target);
  }
  return nullptr;
}

// Where an entry has rows of the table, or a subquery what it makes of some: the columns that say
// whose they are, and when they are.
bool find_rows(const RangeTblEntry* entry, int number, Oid table, const Var* group,
               const EndOfRows& end, Var** unit, Node** value) {
  auto* own_group = static_cast<Var*>(copyObjectImpl(group));
  auto* own_column = static_cast<Var*>(copyObjectImpl(end.column));
  if (entry->rtekind == RTE_RELATION) {
    own_group->varno = own_column->varno = number;
    *unit = own_group;
    *value = with_var(end.value, own_column);
    return entry->relid == table;
  }
  constexpr unsigned kSteps = step::kAggregates | step::kGroups | step::kHaving | step::kDistinct;
  if (entry->rtekind != RTE_SUBQUERY || entry->lateral || !takes_only(entry->subquery, kSteps)) {
    return false;
  }
  const int within = only_entry(entry->subquery);
  if (within == 0 || rt_fetch(within, entry->subquery->rtable)->rtekind != RTE_RELATION ||
      rt_fetch(within, entry->subquery->rtable)->relid != table) {
    return false;
  }
  own_group->varno = own_column->varno = within;
  const Node* own_value = with_var(end.value, own_column);
  for (const auto* target : list<TargetEntry>(entry->subquery->targetList)) {
    if (target->resjunk) continue;
    Node* shown = folded(as<Node>(target->expr));
    if (equal(shown, own_group)) *unit = column_like(number, target);
    if (equal(shown, own_value)) *value = as<Node>(column_like(number, target));
    if (equal(shown, own_column) && *value == nullptr) {
      *value = with_var(end.value, column_like(number, target));
    }
  }
  return *unit != nullptr && *value != nullptr;
}

// columns: that the query groups by. first: of the groups of a subquery, which the query joins to
// the rows of the same table.
Node* compared_with_group(const Query* query, const List* columns, const Var* first,
                          const EndOfRows& end) {
  const RangeTblEntry* entry = rt_fetch(first->varno, query->rtable);
  const Query* groups = entry->subquery;
  const Var* group = only_group(groups);
  const Var* shown = group == nullptr ? nullptr : column_showing_group(groups, first->varno, group);
  if (shown == nullptr) return nullptr;
  const RangeTblEntry* read = rt_fetch(only_entry(groups), groups->rtable);
  for (const int number : ints(entries_read(as<Node>(query->jointree)))) {
    const RangeTblEntry* rows = rt_fetch(number, query->rtable);
    Var* unit = nullptr;
    Node* value = nullptr;
    if (!find_rows(rows, number, read->relid, group, end, &unit, &value) ||
        !is_named(columns, only_column(value)) ||
        !equates(as<Node>(query->jointree), unit, shown)) {
      continue;
    }
    const bool may_be_null = !has_value_of_table(read, end.column->varattno) ||
                             may_be_absent(query, static_cast<Index>(number)) ||
                             may_be_absent(query, static_cast<Index>(first->varno));
    return compared(value, first, end.end, may_be_null);
  }
  return nullptr;
}

// first: a window over the rows of a subquery that shows them.
Node* compared_with_window(const Query* query, const List* columns, const Var* first,
                           const EndOfRows& end) {
  const Query* rows = rt_fetch(first->varno, query->rtable)->subquery;
  const RangeTblEntry* table = rt_fetch(end.column->varno, rows->rtable);
  const bool may_be_null = !has_value_of_table(table, end.column->varattno) ||
                           may_be_absent(rows, static_cast<Index>(end.column->varno)) ||
                           may_be_absent(query, static_cast<Index>(first->varno));
  for (const auto* target : list<TargetEntry>(rows->targetList)) {
    if (target->resjunk) continue;
    Var* column = column_like(first->varno, target);
    if (!is_named(columns, column)) continue;
    auto* shown = folded(as<Node>(target->expr));
    if (equal(shown, end.value)) return compared(as<Node>(column), first, end.end, may_be_null);
    if (equal(shown, end.column)) {
      return compared(with_var(end.value, column), first, end.end, may_be_null);
    }
  }
  return nullptr;
}

// Whether a subquery shows rows beside windows over them.
bool has_windows_of_rows(const Query* query) {
  return query->hasWindowFuncs && takes_only(query, step::kWindows);
}

}  // namespace

void compare_with_first(Query* query) {
  if (!query->hasAggs || query->groupClause == NIL || query->setOperations != nullptr) return;
  List* columns = pull_vars_of_level(as<Node>(grouped_expressions(query)), 0);
  if (list_length(columns) < 2) return;
  List* seen = NIL;
  for (auto* column : list<Var>(columns)) {
    if (column->varlevelsup > 0 || column->varattno <= 0 || list_member(seen, column)) continue;
    seen = lappend(seen, column);
    const RangeTblEntry* entry = rt_fetch(column->varno, query->rtable);
    if (entry->rtekind != RTE_SUBQUERY || entry->lateral) continue;
    const TargetEntry* target = column_shown(entry->subquery->targetList, column->varattno);
    const bool is_group = entry->subquery->hasAggs;
    if (target == nullptr || !(is_group || has_windows_of_rows(entry->subquery))) continue;
    const EndOfRows end = read_end(entry->subquery, target);
    if (end.end == End::kNone) continue;
    Node* condition = is_group ? compared_with_group(query, columns, column, end)
                               : compared_with_window(query, columns, column, end);
    if (condition == nullptr) continue;
    query->jointree->quals = make_and_qual(query->jointree->quals, condition);
  }
}

}  // namespace idp
