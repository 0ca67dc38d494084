#include "extension/domain/absent_rows.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/plan/gate.h"
#include "extension/rewrite/inner_joins.h"
#include "extension/rewrite/simplify.h"
#include "extension/rewrite/spine_joins.h"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

// --- columns that no join has put NULL in ---

// from: the part of FROM whose joins count.
TableColumn kept_column(const Query* query, const Node* from, const Node* value) {
  check_stack_depth();
  if (!IsA(value, Var)) return {};
  const auto* column = as<Var>(value);
  if (column->varlevelsup > 0 || column->varattno <= 0 ||
      may_be_absent(from, static_cast<Index>(column->varno))) {
    return {};
  }
  const RangeTblEntry* entry = rt_fetch(column->varno, query->rtable);
  switch (entry->rtekind) {
    case RTE_RELATION:
      return {entry->relid, column->varattno};
    case RTE_SUBQUERY: {
      const Query* subquery = entry->subquery;
      if (subquery->commandType != CMD_SELECT || subquery->setOperations != nullptr ||
          subquery->groupingSets != NIL) {
        return {};
      }
      const TargetEntry* target = get_tle_by_resno(subquery->targetList, column->varattno);
      return target == nullptr
                 ? TableColumn{}
                 : kept_column(subquery, as<Node>(subquery->jointree), as<Node>(target->expr));
    }
    case RTE_JOIN:
      return kept_column(
          query, from,
          static_cast<const Node*>(list_nth(entry->joinaliasvars, column->varattno - 1)));
    default:
      return {};
  }
}

// --- outer joins that find a row each ---

// Whether all rows of an entry are read, but for the gate of its table.
bool reads_whole_table(const RangeTblEntry* entry) {
  if (entry->rtekind != RTE_RELATION || entry->tablesample != nullptr) return false;
  if (entry->relkind == RELKIND_PARTITIONED_TABLE ? !entry->inh
                                                  : entry->relkind != RELKIND_RELATION) {
    return false;
  }
  for (const auto* condition : list<Node>(entry->securityQuals)) {
    if (!is_gate(condition)) return false;
  }
  return true;
}

bool chooses_rows_alone(const Query* query) {
  return query->commandType == CMD_SELECT && !query->hasAggs && !query->hasWindowFuncs &&
         !query->hasTargetSRFs && query->groupClause == NIL && query->groupingSets == NIL &&
         query->havingQual == nullptr && query->setOperations == nullptr && query->cteList == NIL &&
         query->limitCount == nullptr && query->limitOffset == nullptr &&
         !contain_volatile_functions(as<Node>(query->targetList));
}

bool is_equality(const OpExpr* comparison, const Node* value) {
  return order_strategy(comparison->opno, exprType(value)) == BTEqualStrategyNumber;
}

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
  const TargetEntry* target = get_tle_by_resno(rows->targetList, column->varattno);
  const auto* below = target == nullptr ? nullptr : maybe<Var>(as<Node>(target->expr));
  if (below == nullptr) return {};
  return kept_in(rows, static_cast<const Node*>(linitial(rows->jointree->fromlist)), below);
}

TableColumn kept_in(const Query* query, const Node* from, const Var* column) {
  check_stack_depth();
  if (column->varlevelsup > 0 || column->varattno <= 0) return {};
  if (IsA(from, RangeTblRef)) {
    const int number = as<RangeTblRef>(from)->rtindex;
    return number == column->varno ? kept_in_entry(rt_fetch(number, query->rtable), column)
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

// --- NOT IN ---

bool is_never_null(const Query* query, const Node* value) {
  const TableColumn column = kept_column(query, as<Node>(query->jointree), value);
  return OidIsValid(column.table) && is_not_null(column.table, column.number, snapshot_at_work());
}

// The comparison of x NOT IN (SELECT y …); null if it is of another kind.
const OpExpr* excluding_comparison(const Node* condition) {
  const auto* negation = maybe<BoolExpr>(condition);
  if (negation == nullptr || negation->boolop != NOT_EXPR) return nullptr;
  const auto* link = static_cast<const SubLink*>(linitial(negation->args));
  if (!IsA(link, SubLink) || link->subLinkType != ANY_SUBLINK) return nullptr;
  const auto* comparison = as<OpExpr>(link->testexpr);
  return IsA(comparison, OpExpr) && list_length(comparison->args) == 2 &&
                 IsA(lsecond(comparison->args), Param)
             ? comparison
             : nullptr;
}

void change_exclusion(const Query* query, Node* condition) {
  const OpExpr* comparison = excluding_comparison(condition);
  if (comparison == nullptr) return;
  auto* link = static_cast<SubLink*>(linitial(as<BoolExpr>(condition)->args));
  auto* subquery = as<Query>(link->subselect);
  auto* value = static_cast<Node*>(linitial(comparison->args));
  if (!chooses_rows_alone(subquery) || list_length(subquery->targetList) != 1) return;
  auto* excluded = as<Node>(static_cast<TargetEntry*>(linitial(subquery->targetList))->expr);
  if (!is_equality(comparison, value) || !is_never_null(query, value) ||
      !is_never_null(subquery, excluded)) {
    return;
  }
  auto* equal = static_cast<OpExpr*>(copyObjectImpl(comparison));
  IncrementVarSublevelsUp(static_cast<Node*>(linitial(equal->args)), 1, 0);
  lsecond(equal->args) = copyObjectImpl(excluded);
  subquery->jointree->quals = make_and_qual(subquery->jointree->quals, as<Node>(equal));
  subquery->distinctClause = NIL;
  static_cast<TargetEntry*>(linitial(subquery->targetList))->ressortgroupref = 0;
  subquery->sortClause = NIL;
  link->subLinkType = EXISTS_SUBLINK;
  link->testexpr = nullptr;
  link->operName = NIL;
}

void change_exclusions(const Query* query, Node* condition) {
  if (condition == nullptr) return;
  if (!is_andclause(condition)) return change_exclusion(query, condition);
  for (auto* part : list<Node>(as<BoolExpr>(condition)->args)) {
    change_exclusion(query, part);
  }
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
    if (is_never_null(query, side)) return as<Node>(equality);
  }
  return condition;
}

void compare_by_equality(const Query* query, Node* from) {
  check_stack_depth();
  if (IsA(from, RangeTblRef)) return;
  if (IsA(from, JoinExpr)) {
    auto* join = as<JoinExpr>(from);
    compare_by_equality(query, join->larg);
    compare_by_equality(query, join->rarg);
    join->quals = with_equalities(query, join->quals);
    return;
  }
  auto* whole = as<FromExpr>(from);
  for (auto* part : list<Node>(whole->fromlist)) compare_by_equality(query, part);
  whole->quals = with_equalities(query, whole->quals);
}

}  // namespace

void simplify_joins(const Level& level) {
  Query* query = level.query;
  if (query->jointree == nullptr) return;
  compare_by_equality(query, as<Node>(query->jointree));
  make_inner_where(query, leaves_out_absent);
  make_inner_where(query, always_finds_a_row);
  change_exclusions(query, query->jointree->quals);
}

}  // namespace idp
