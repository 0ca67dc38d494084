// Window functions over partitions of one unit each: they add columns, and their ranks can bound
// how many rows of a unit are kept.
#include "extension/plan/unit_keys.h"

#include "extension/pg/versions.h"

namespace idp {

namespace {

Keys order_of(const Rows& below, const WindowAgg* plan) {
  return keys_among(below,
                    {plan->ordNumCols, plan->ordColIdx, plan->ordOperators, plan->ordCollations});
}

// Conditions over the node's own functions, by which it leaves rows out itself.
void apply_run_conditions(UnitWalk& walk, const Rows& below, const WindowAgg* plan, Rows* rows) {
  ListCell* cell;
  foreach (cell, conditions_on_windows(plan)) {
    const auto* condition = static_cast<const OpExpr*>(lfirst(cell));
    if (!IsA(condition, OpExpr) || list_length(condition->args) != 2) continue;
    ListCell* inner;
    foreach (inner, condition->args) {
      auto* argument = static_cast<Node*>(lfirst(inner));
      if (!IsA(argument, WindowFunc)) continue;
      ColumnFacts rank =
          rank_of(reinterpret_cast<const WindowFunc*>(argument), order_of(below, plan));
      if (rank.rank == Rank::kNone) continue;
      rank.ranks = apply_limit(walk, condition, argument, rank, rows);
      ListCell* target;
      foreach (target, plan->plan.targetlist) {
        const auto* entry = static_cast<const TargetEntry*>(lfirst(target));
        if (equal(entry->expr, argument)) rows->columns[entry->resno - 1].ranks = rank.ranks;
      }
    }
  }
}

}  // namespace

Rows rows_of_windows(UnitWalk& walk, PlanState* node) {
  const auto* plan = reinterpret_cast<const WindowAgg*>(node->plan);
  const Rows below = walk.rows_of(outerPlanState(node));
  if (below.problem != nullptr) return below;
  WindowFunctions functions{nullptr, false, frames_hold_peers(plan->frameOptions), false};
  add_functions(reinterpret_cast<Node*>(plan->plan.targetlist), &functions);
  if (functions.problem != nullptr) return rows_with_problem(functions.problem);
  if (plan->startOffset != nullptr || plan->endOffset != nullptr) {
    return rows_with_problem(&kFrame);
  }
  const Comparison parts{plan->partNumCols, plan->partColIdx, plan->partOperators,
                         plan->partCollations};
  const Comparison order{plan->ordNumCols, plan->ordColIdx, plan->ordOperators,
                         plan->ordCollations};
  const Plan* child = outerPlan(plan);
  if (tells_forms(child, below, parts) || tells_forms(child, below, order)) {
    return rows_with_problem(&kFormShown);
  }
  const Keys partitions = keys_among(below, parts);
  const Partition partition = partition_of(partitions);
  List* equals = list_concat(equalities_by(partitions), equalities_by(keys_among(below, order)));
  const bool are_ordered = covers_unique(below, equals, false);
  Rows rows = below;
  rows.slices = NIL;
  rows.has_public_groups = false;
  rows.is_lateral |= !bms_is_empty(walk.given_to(&plan->plan));
  give_columns(walk, node, {&below, nullptr, nullptr, are_ordered}, &rows);
  if (below.is_fixed && !are_ordered) {
    rows.is_settled &= !functions.needs_order && !functions.gives_any_form;
  }
  if (below.is_fixed || rows.problem != nullptr) return rows;
  if (!partition.any || below.has_absent) return rows_with_problem(&kMixedPartitions);
  if (functions.needs_order && !are_ordered) return rows_with_problem(&kPeers);
  // over the functions of nodes below, whose own conditions only stop counting
  apply_limits(walk, plan->plan.qual, {&below, nullptr}, &rows);
  if (!partition.of_unit) return rows;
  ListCell* cell;
  foreach (cell, plan->plan.targetlist) {
    const auto* target = static_cast<const TargetEntry*>(lfirst(cell));
    if (!IsA(target->expr, WindowFunc)) continue;
    const ColumnFacts rank =
        rank_of(reinterpret_cast<const WindowFunc*>(target->expr), order_of(below, plan));
    ColumnFacts& facts = rows.columns[target->resno - 1];
    facts.rank = rank.rank;
    facts.ranked = rank.ranked;
    facts.mass = mass_of_window(reinterpret_cast<const WindowFunc*>(target->expr), rows);
  }
  apply_run_conditions(walk, below, plan, &rows);
  return rows;
}

}  // namespace idp
