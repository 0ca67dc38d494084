// Joins, of the nodes that make them: which rows they put together, and on what.
#include "extension/plan/unit_pairs.h"

#include "extension/plan/input.h"
#include "extension/plan/node_rules.h"

namespace idp {

namespace {

bool is_inner_column(const Node* expression) {
  while (IsA(expression, RelabelType)) {
    expression =
        reinterpret_cast<const Node*>(reinterpret_cast<const RelabelType*>(expression)->arg);
  }
  return IsA(expression, Var) && reinterpret_cast<const Var*>(expression)->varno == INNER_VAR;
}

bool is_outer_column(const Node* expression) {
  while (IsA(expression, RelabelType)) {
    expression =
        reinterpret_cast<const Node*>(reinterpret_cast<const RelabelType*>(expression)->arg);
  }
  return IsA(expression, Var) && reinterpret_cast<const Var*>(expression)->varno != INNER_VAR;
}

// Outer columns that equal inner ones in each pair: of clauses, not of what filters pairs later.
List* matches_in(UnitWalk& walk, const List* clauses, const NodeInputs& inputs, List* matches) {
  ListCell* cell;
  foreach (cell, clauses) {
    const auto* clause = static_cast<const OpExpr*>(lfirst(cell));
    if (!IsA(clause, OpExpr) || list_length(clause->args) != 2) continue;
    const auto* first = static_cast<const Node*>(linitial(clause->args));
    const auto* second = static_cast<const Node*>(lsecond(clause->args));
    if (is_inner_column(first)) std::swap(first, second);
    if (!is_outer_column(first) || !is_inner_column(second)) continue;
    matches = add_match(matches, facts_of(walk, first, inputs), facts_of(walk, second, inputs),
                        clause->opno, clause->inputcollid);
  }
  return matches;
}

const List* clauses_of(const Plan* plan) {
  switch (nodeTag(plan)) {
    case T_HashJoin:
      return reinterpret_cast<const HashJoin*>(plan)->hashclauses;
    case T_MergeJoin:
      return reinterpret_cast<const MergeJoin*>(plan)->mergeclauses;
    default:
      return NIL;
  }
}

const List* parameters_of(const Plan* plan) {
  return IsA(plan, NestLoop) ? reinterpret_cast<const NestLoop*>(plan)->nestParams : NIL;
}

// Whether the inner child is read once: not by a nested loop, for each outer row, unless what it
// gave is kept, nor by processes that work in parallel, each for itself. They read no CTE.
bool is_read_once(const UnitWalk& walk, const PlanState* node) {
  const Plan* inner = innerPlanState(node)->plan;
  const bool is_the_same = bms_is_empty(walk.given_to(inner));
  if (IsA(inner, CteScan) && is_the_same) return true;
  if (node->state->es_plannedstmt->parallelModeNeeded) return false;
  return !IsA(node, NestLoopState) || (IsA(inner, Material) && is_the_same);
}

// The inner child, with the parameters that a nested loop sets for it. Its columns that are equal
// to one match the outer column that the parameter is.
Side inner_side(UnitWalk& walk, PlanState* node, Sides* sides) {
  const NodeInputs outer{&sides->left.rows, nullptr};
  const Plan* inner = innerPlanState(node)->plan;
  Side side{{}, true, bms_is_empty(walk.given_to(inner))};
  ListCell* cell;
  foreach (cell, parameters_of(node->plan)) {
    const auto* parameter = static_cast<const NestLoopParam*>(lfirst(cell));
    const ColumnFacts facts =
        facts_of(walk, reinterpret_cast<const Node*>(parameter->paramval), outer);
    if (!walk.bind(parameter->paramno, facts)) {
      side.rows = rows_with_problem(&kJoin);
      return side;
    }
    sides->of_loop = bms_add_member(sides->of_loop, parameter->paramno);
    side.is_steady &= facts.of_unit || !bms_is_member(parameter->paramno, inner->extParam);
  }
  side.rows = walk.rows_of(innerPlanState(node));
  if (side.rows.problem == nullptr && !side.rows.is_settled && !is_read_once(walk, node)) {
    if (side.rows.is_fixed) {
      forget_facts(walk, &side.rows);
      side.is_steady = false;
    } else {
      side.rows = rows_with_problem(&kReadAnew);
    }
  }
  List* others = NIL;
  foreach (cell, side.rows.pins) {
    auto* pin = static_cast<Pin*>(lfirst(cell));
    if (bms_is_member(pin->parameter, sides->of_loop)) {
      sides->matches = add_match(sides->matches, *walk.bound(pin->parameter), pin->column, pin->op,
                                 pin->collation);
    } else {
      others = lappend(others, pin);
    }
  }
  side.rows.pins = others;
  if (bms_overlap(inner->extParam, sides->of_loop)) forget_limits(&side.rows);
  for (int i = -1; (i = bms_next_member(sides->of_loop, i)) >= 0;) walk.unbind(i);
  return side;
}

Sides sides_of(UnitWalk& walk, PlanState* node) {
  const auto* plan = reinterpret_cast<const Join*>(node->plan);
  Sides sides{};
  sides.left = {walk.rows_of(outerPlanState(node)), false,
                bms_is_empty(walk.given_to(outerPlan(plan)))};
  if (sides.left.rows.problem != nullptr) return sides;
  sides.right = inner_side(walk, node, &sides);
  if (sides.right.rows.problem != nullptr) return sides;
  const NodeInputs inputs{&sides.left.rows, &sides.right.rows};
  sides.matches = matches_in(walk, clauses_of(node->plan), inputs, sides.matches);
  sides.matches = matches_in(walk, plan->joinqual, inputs, sides.matches);
  return sides;
}

}  // namespace

Rows rows_of_join(UnitWalk& walk, PlanState* node) {
  const auto* plan = reinterpret_cast<const Join*>(node->plan);
  Sides sides = sides_of(walk, node);
  if (sides.left.rows.problem != nullptr) return sides.left.rows;
  if (sides.right.rows.problem != nullptr) return sides.right.rows;
  const Pairs pairs = pairs_of(walk, &sides, plan->jointype, plan->plan.qual != NIL);
  if (pairs.rows.problem != nullptr) return pairs.rows;

  // The executor looks no further than the first partner where the planner expects one. If there
  // may be several, the order of rows, those of other units among them, decides which.
  const Side& inner = sides.right.is_inner ? sides.right : sides.left;
  const bool is_proved = sides.right.is_inner ? pairs.right_once : pairs.left_once;
  if (plan->inner_unique && !inner.rows.is_fixed && !is_proved) return rows_with_problem(&kJoin);

  Rows rows = pairs.rows;
  rows.is_lateral = !bms_is_empty(walk.given_to(node->plan));
  const NodeInputs inputs = sides.right.is_inner ? NodeInputs{&pairs.left, &pairs.right}
                                                 : NodeInputs{&pairs.right, &pairs.left};
  give_columns(walk, node, inputs, &rows);
  apply_limits(walk, plan->plan.qual, inputs, &rows);
  return rows;
}

}  // namespace idp
