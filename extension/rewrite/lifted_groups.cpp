#include "extension/rewrite/lifted_groups.h"

#include "extension/pg/catalog_lookup.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/rewrite/lifted_totals.h"

extern "C" {
#include "access/stratnum.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

namespace {

// --- one group for each ---

const Query* query_of(const Lift& lift, int entry) {
  const RangeTblEntry* read = rt_fetch(entry, lift.parts.level->query->rtable);
  if (read->rtekind == RTE_SUBQUERY) return read->subquery;
  if (read->rtekind != RTE_CTE) return nullptr;
  const FoundCte found = cte_of(*lift.parts.level, read);
  return found.cte == nullptr ? nullptr : as<Query>(found.cte->ctequery);
}

// Whether each of its rows has other values in the columns: it groups by some of them.
bool has_row_for_each(const Query* query, const Bitmapset* columns) {
  if (query->groupingSets != NIL || query->setOperations != nullptr || query->hasTargetSRFs) {
    return false;
  }
  if (query->groupClause == NIL) return query->hasAggs;  // it has one row
  for (const auto* clause : list<SortGroupClause>(query->groupClause)) {
    bool is_among = false;
    for (const auto* target : list<TargetEntry>(query->targetList)) {
      is_among |= target->ressortgroupref == clause->tleSortGroupRef &&
                  bms_is_member(target->resno, columns);
    }
    if (!is_among) return false;
  }
  return true;
}

// The column of the entry that a condition says to be equal to something of rows; 0 if none.
AttrNumber column_compared(const Lift& lift, const Node* condition, int entry) {
  if (!IsA(condition, OpExpr)) return 0;
  const auto* comparison = as<OpExpr>(condition);
  if (list_length(comparison->args) != 2) return 0;
  auto* left = static_cast<Node*>(linitial(comparison->args));
  auto* right = static_cast<Node*>(lsecond(comparison->args));
  if (names_lifted(lift.parts, left)) std::swap(left, right);
  if (names_lifted(lift.parts, left) || !IsA(right, Var)) return 0;
  const auto* column = as<Var>(right);
  const bool is_equality =
      order_strategy(comparison->opno, column->vartype) == BTEqualStrategyNumber;
  return is_equality && static_cast<int>(column->varno) == entry ? column->varattno : 0;
}

bool finds_one_row(const Lift& lift, const LiftedJoin* join) {
  const Query* query = query_of(lift, join->entry);
  if (query == nullptr) return false;
  Bitmapset* columns = nullptr;
  const List* conditions =
      join->is_outer ? conjuncts(join->condition) : lift.parts.conditions;
  for (const auto* condition : list<Node>(conditions)) {
    const AttrNumber column = column_compared(lift, condition, join->entry);
    if (column > 0) columns = bms_add_member(columns, column);
  }
  return has_row_for_each(query, columns);
}

// min(x) and max(x) of what is the same for all rows of a group are that.
Node* same_for_all(const Lift& lift, const Aggref* call) {
  const bool is_known = list_length(call->args) == 1 && call->aggfilter == nullptr;
  if (!is_known) return nullptr;
  const char* name = get_func_name(call->aggfnoid);
  auto* argument = as<Node>(static_cast<const TargetEntry*>(linitial(call->args))->expr);
  const bool is_same =
      (strcmp(name, "min") == 0 || strcmp(name, "max") == 0) && !names_rows(lift.parts, argument);
  return is_same ? argument : nullptr;
}

bool find_aggregate_of_both(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return false;
  auto& lift = *static_cast<Lift*>(context);
  if (IsA(node, Aggref)) {
    return names_lifted(lift.parts, node) && same_for_all(lift, as<Aggref>(node)) == nullptr;
  }
  return walk_expression(node, find_aggregate_of_both, context);
}

}  // namespace

bool has_group_for_each(Lift& lift) {
  const LiftedParts& parts = lift.parts;
  if (parts.has_spine || find_aggregate_of_both(as<Node>(lift.level->targetList), &lift) ||
      find_aggregate_of_both(lift.level->havingQual, &lift)) {
    return false;
  }
  // without groups there is one row, whatever the conditions say
  if (lift.level->groupClause == NIL && parts.conditions != NIL) return false;
  for (const auto* join : list<LiftedJoin>(parts.joins)) {
    if (!finds_one_row(lift, join)) return false;
  }
  return true;
}

namespace {

bool find_window(Node* node, void*) {
  if (node == nullptr || IsA(node, Query)) return false;
  return IsA(node, WindowFunc) || walk_expression(node, find_window, nullptr);
}

}  // namespace

Node* of_one_group(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  auto& lift = *static_cast<Lift*>(context);
  if (is_value(node) && !names_lifted(lift.parts, node) && !find_window(node, nullptr) &&
      !find_row_of_subquery(node, nullptr)) {
    const bool is_of_groups = names_rows(lift.parts, node) || contain_aggs_of_level(node, 0);
    return is_of_groups ? shown(static_cast<Node*>(copyObjectImpl(node)), context) : node;
  }
  if (IsA(node, Aggref)) return lifted(same_for_all(lift, as<Aggref>(node)), context);
  if (IsA(node, Var)) return lifted(node, context);
  if (IsA(node, SubLink)) node = lifted_link(lift, node, false);
  return map_expression(node, of_one_group, context);
}

namespace {

// --- totals of several groups ---

}  // namespace

Node* of_groups(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  auto& lift = *static_cast<Lift*>(context);
  if (list_member(lift.keys, node)) return lifted(node, context);
  if (IsA(node, Aggref)) {
    Node* total = total_of(lift.parts, as<Aggref>(node), {context, shown, lifted, &lift.is_of_one});
    lift.fails |= total == nullptr;
    return total;
  }
  if (IsA(node, Var)) lift.fails |= as<Var>(node)->varlevelsup == 0;
  if (IsA(node, SubLink)) node = lifted_link(lift, node, true);
  return map_expression(node, of_groups, context);
}

namespace {

// The key that a condition says to be equal to something that is the same for a group of the level;
// null if none. Of timestamps two may be the same instant.
Node* key_of_group(const Lift& lift, const Node* condition) {
  if (!IsA(condition, OpExpr) || list_length(as<OpExpr>(condition)->args) != 2) return nullptr;
  auto* key = static_cast<Node*>(linitial(as<OpExpr>(condition)->args));
  auto* other = static_cast<Node*>(lsecond(as<OpExpr>(condition)->args));
  if (names_lifted(lift.parts, key)) std::swap(key, other);
  const Oid type = exprType(key);
  const int strategy = order_strategy(as<OpExpr>(condition)->opno, type);
  const bool is_known = strategy == BTEqualStrategyNumber && !names_rows(lift.parts, other) &&
                        !(type == TIMESTAMPOID && exprType(other) == TIMESTAMPTZOID);
  if (!is_known) return nullptr;
  if (list_member(lift.keys, other)) return key;
  for (const auto* column : list<Node>(pull_var_clause(other, PVC_RECURSE_AGGREGATES))) {
    if (!list_member(lift.keys, column)) return nullptr;
  }
  return key;
}

}  // namespace

bool is_of_one_at_most(const Lift& lift) {
  List* known = list_copy(lift.keys);
  const List* conditions = list_concat_copy(
      lift.parts.conditions, conjuncts(lift.parts.spine_condition));
  for (const auto* condition : list<Node>(conditions)) {
    known = lappend(known, key_of_group(lift, condition));
  }
  for (const auto* target : list<TargetEntry>(lift.targets)) {
    if (target->ressortgroupref != 0 && !list_member(known, target->expr)) return false;
  }
  return true;
}

}  // namespace idp
