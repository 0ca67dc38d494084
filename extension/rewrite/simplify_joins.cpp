#include "extension/pg/outer_joins.h"
#include "extension/access/hidden.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/keys.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/statement_room.h"
#include "extension/pg/versions.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/rewrite/existence.h"
#include "extension/rewrite/inner_joins.h"
#include "extension/rewrite/never_null.h"
#include "extension/rewrite/same_rows.h"
#include "extension/rewrite/simplify.h"
#include "extension/rewrite/spine_joins.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

// --- outer joins that find a row each ---

TableColumn kept_in(const Query* query, const Node* from, const Var* column);

// Whether one side of a join has a row for each of the other: the only condition says that what is
// never NULL refers to it. from: the part of FROM that the one which refers is of.
bool finds_a_row(const Query* query, const Node* condition, const Node* from, const Node* side) {
  const auto* comparison = as<OpExpr>(condition);
  if (comparison == nullptr || !IsA(comparison, OpExpr) || list_length(comparison->args) != 2) {
    return false;
  }
  const auto* left = maybe<Var>(static_cast<Node*>(linitial(comparison->args)));
  const auto* right = maybe<Var>(static_cast<Node*>(lsecond(comparison->args)));
  if (left == nullptr || right == nullptr || left->varno <= 0 || right->varno <= 0) return false;
  if (left->varlevelsup == 0 && holds(side, static_cast<Index>(left->varno))) {
    std::swap(left, right);
  }
  const TableColumn column = kept_column(query, from, as<Node>(left));
  const TableColumn found = kept_in(query, side, right);
  if (!OidIsValid(column.table) || !OidIsValid(found.table) ||
      !is_not_null(column.table, column.number, snapshot_at_work()) ||
      !is_equality(comparison, as<Node>(right))) {
    return false;
  }
  AttrNumber referenced = InvalidAttrNumber;
  return reference_of(column.table, column.number, found.table, found.number, snapshot_at_work(),
                      &referenced) == Reference::kSound &&
         referenced == found.number;
}

// The column of a table that a column of a part of FROM is, if that has each row of the table, once
// or more often, and only such ones: no join leaves any out.
TableColumn kept_in_entry(const RangeTblEntry* entry, const Var* column) {
  if (reads_whole_table(entry)) return {entry->relid, column->varattno};
  if (entry->rtekind != RTE_SUBQUERY || entry->lateral) return {};
  const Query* rows = entry->subquery;
  if (!chooses_rows_alone(rows) || rows->jointree->quals != nullptr ||
      rows->distinctClause != NIL || list_length(rows->jointree->fromlist) != 1) {
    return {};
  }
  const TargetEntry* target = column_shown(rows->targetList, column->varattno);
  const auto* below = target == nullptr ? nullptr : maybe<Var>(as<Node>(target->expr));
  if (below == nullptr) return {};
  return kept_in(rows, static_cast<const Node*>(linitial(rows->jointree->fromlist)), below);
}

TableColumn kept_in(const Query* query, const Node* from, const Var* column) {
  check_stack_depth();
  if (column->varlevelsup > 0 || column->varattno <= 0) return {};
  if (IsA(from, RangeTblRef)) {
    const int number = as<RangeTblRef>(from)->rtindex;
    return number == static_cast<int>(column->varno)
               ? kept_in_entry(rt_fetch(number, query->rtable), column)
               : TableColumn{};
  }
  const auto* join = maybe<JoinExpr>(from);
  if (join == nullptr) return {};
  const bool is_left = holds(join->larg, static_cast<Index>(column->varno));
  const Node* side = is_left ? join->larg : join->rarg;
  const bool keeps = join->jointype == JOIN_INNER
                         ? finds_a_row(query, join->quals, side, is_left ? join->rarg : join->larg)
                         : join->jointype == (is_left ? JOIN_LEFT : JOIN_RIGHT);
  return keeps ? kept_in(query, side, column) : TableColumn{};
}

bool always_finds_a_row(const Query* query, const JoinExpr* join) {
  return join->jointype == JOIN_LEFT &&
         finds_a_row(query, join->quals, as<Node>(query->jointree), join->rarg);
}

// A FULL JOIN along a reference that is never NULL keeps the rows of the other side alone. Null if
// there is none.
JoinExpr* join_of_one_side(const Query* query, Node* from, bool* finds_right) {
  check_stack_depth();
  if (IsA(from, RangeTblRef)) return nullptr;
  if (IsA(from, FromExpr)) {
    for (auto* part : list<Node>(as<FromExpr>(from)->fromlist)) {
      JoinExpr* found = join_of_one_side(query, part, finds_right);
      if (found != nullptr) return found;
    }
    return nullptr;
  }
  auto* join = as<JoinExpr>(from);
  JoinExpr* below = join_of_one_side(query, join->larg, finds_right);
  if (below == nullptr) below = join_of_one_side(query, join->rarg, finds_right);
  if (below != nullptr) return below;
  if (join->jointype != JOIN_FULL || join->rtindex == 0) return nullptr;
  *finds_right = finds_a_row(query, join->quals, join->larg, join->rarg);
  return *finds_right || finds_a_row(query, join->quals, join->rarg, join->larg) ? join : nullptr;
}

void keep_one_side(Query* query) {
  bool finds_right = false;
  while (auto* join = join_of_one_side(query, as<Node>(query->jointree), &finds_right)) {
    join->jointype = finds_right ? JOIN_RIGHT : JOIN_LEFT;
    rt_fetch(join->rtindex, query->rtable)->jointype = join->jointype;
    forget_nulls_of(query, join->rtindex, finds_right ? join->larg : join->rarg);
  }
}

// --- NOT IN ---

// (SELECT true FROM …) IS NULL: whether a subquery gives no row.
Node* gives_no_row(const Query* subquery) {
  auto* any = copy_of(subquery);
  any->targetList = list_make1(output(makeBoolConst(true, false), 1, "any"));
  any->distinctClause = any->sortClause = NIL;
  any->limitCount = bigint(1);
  any->limitOption = LIMIT_OPTION_COUNT;
  return null_test(scalar_subquery(any), IS_NULL);
}

// x NOT IN (SELECT y …) of tables that everybody may know, whose y is never NULL, is NOT EXISTS (…)
// for each x but NULL, which only a list without rows does not hold. Null if it is of another kind.
Node* null_is_left_out(const SubLink* link) {
  auto* subquery = as<Query>(link->subselect);
  if (link->subLinkType != ANY_SUBLINK || !IsA(link->testexpr, OpExpr) ||
      !chooses_rows_alone(subquery) || names_outer_columns(subquery) ||
      names_hidden_table_anywhere(subquery) || list_length(subquery->targetList) != 1) {
    return nullptr;
  }
  const auto* found = static_cast<const TargetEntry*>(linitial(subquery->targetList));
  if (!is_never_null_column(subquery, without_relabels(as<Node>(found->expr)))) return nullptr;
  auto* value = static_cast<Node*>(copyObjectImpl(linitial(as<OpExpr>(link->testexpr)->args)));
  Node* is_there = null_test(value, IS_NOT_NULL);
  return as<Node>(makeBoolExpr(OR_EXPR, list_make2(is_there, gives_no_row(subquery)), -1));
}

void change_exclusion(const Query* query, Node* condition) {
  auto* negation = maybe<BoolExpr>(condition);
  if (negation == nullptr || negation->boolop != NOT_EXPR) return;
  auto* link = static_cast<SubLink*>(linitial(negation->args));
  if (!IsA(link, SubLink) || make_existence(query, link)) return;
  Node* not_null = null_is_left_out(link);
  if (not_null == nullptr || !make_existence(query, link, true)) return;
  negation->args = list_make2(makeBoolExpr(NOT_EXPR, list_make1(link), -1), not_null);
  negation->boolop = AND_EXPR;
}

void change_exclusions(const Query* query, Node* condition) {
  for (auto* part : list<Node>(conjuncts(condition))) change_exclusion(query, part);
}

// --- IS NULL of what is never NULL ---

// A condition with what is known of its tests: Power BI joins by x = y OR x IS NULL AND y IS NULL,
// and other tools leave out what cannot be NULL.
Node* without_null_tests(const Query* query, Node* condition) {
  check_stack_depth();
  if (const auto* test = maybe<NullTest>(condition)) {
    if (test->argisrow || !is_never_null_column(query, as<Node>(test->arg))) return condition;
    return makeBoolConst(test->nulltesttype == IS_NOT_NULL, false);
  }
  auto* whole = maybe<BoolExpr>(condition);
  if (whole == nullptr || whole->boolop == NOT_EXPR) return condition;
  const bool neutral = whole->boolop == AND_EXPR;  // what leaves the others as they are
  List* parts = NIL;
  for (auto* node : list<Node>(whole->args)) {
    Node* part = without_null_tests(query, node);
    if (is_truth(part, !neutral)) return part;
    if (!is_truth(part, neutral)) parts = lappend(parts, part);
  }
  if (parts == NIL) return makeBoolConst(neutral, false);
  if (list_length(parts) == 1) return static_cast<Node*>(linitial(parts));
  whole->args = parts;
  return condition;
}

// --- IS NOT DISTINCT FROM ---

// x IS NOT DISTINCT FROM y, of which one is never NULL, is true where x = y is: Tableau joins by
// it.
Node* with_equalities(const Query* query, Node* condition) {
  if (condition == nullptr || !IsA(condition, BoolExpr)) return condition;
  auto* whole = as<BoolExpr>(condition);
  if (whole->boolop == AND_EXPR) {
    ListCell* cell;
    foreach (cell, whole->args) {
      lfirst(cell) = with_equalities(query, static_cast<Node*>(lfirst(cell)));
    }
    return condition;
  }
  auto* part = static_cast<Node*>(linitial(whole->args));
  if (whole->boolop != NOT_EXPR || !IsA(part, DistinctExpr)) return condition;
  auto* equality = static_cast<OpExpr*>(copyObjectImpl(part));
  equality->xpr.type = T_OpExpr;
  for (const auto* side : list<Node>(equality->args)) {
    if (is_never_null_column(query, side)) return as<Node>(equality);
  }
  return condition;
}

// Null where it is true of all rows.
Node* simpler_condition(const Query* query, Node* condition) {
  if (condition == nullptr) return nullptr;
  Node* simpler = with_equalities(query, without_null_tests(query, condition));
  return is_truth(simpler, true) ? nullptr : simpler;
}

void compare_by_equality(const Query* query, Node* from) {
  check_stack_depth();
  if (IsA(from, RangeTblRef)) return;
  if (IsA(from, JoinExpr)) {
    auto* join = as<JoinExpr>(from);
    compare_by_equality(query, join->larg);
    compare_by_equality(query, join->rarg);
    join->quals = simpler_condition(query, join->quals);
    return;
  }
  auto* whole = as<FromExpr>(from);
  for (auto* part : list<Node>(whole->fromlist)) compare_by_equality(query, part);
  whole->quals = simpler_condition(query, whole->quals);
}

}  // namespace

void simplify_joins(const QueryLevel& level) {
  Query* query = level.query;
  if (query->jointree == nullptr) return;
  compare_by_equality(query, as<Node>(query->jointree));
  keep_one_side(query);
  make_inner_where(query, leaves_out_absent);
  make_inner_where(query, always_finds_a_row);
  change_exclusions(query, query->jointree->quals);
}

}  // namespace idp
