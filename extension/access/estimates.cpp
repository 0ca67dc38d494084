#include "extension/access/estimates.h"

#include "extension/access/hidden.h"
#include "extension/plan/node_rules.h"

extern "C" {
#include "jit/jit.h"
}

namespace idp {

namespace {

void mask_tree(Plan* plan);

void mask_trees(const List* plans) {
  ListCell* cell;
  foreach (cell, plans) mask_tree(static_cast<Plan*>(lfirst(cell)));
}

void mask_tree(Plan* plan) {
  if (plan == nullptr) return;
  check_stack_depth();
  mask_estimates(plan);
  mask_tree(plan->lefttree);
  mask_tree(plan->righttree);
  mask_trees(further_plans(plan));
}

}  // namespace

void mask_new_plan(PlannedStmt* plan) {
  ListCell* cell;
  foreach (cell, plan->rtable) {
    if (!is_hidden(static_cast<const RangeTblEntry*>(lfirst(cell))->relid)) continue;
    mask_tree(plan->planTree);
    mask_trees(plan->subplans);
    return;
  }
}

void copy_plan(QueryDesc* query, bool explain) {
  auto* copy = static_cast<PlannedStmt*>(copyObjectImpl(query->plannedstmt));
  if (explain) copy->jitFlags = PGJIT_NONE;  // printed too; it follows from the costs
  query->plannedstmt = copy;
}

void mask_estimates(Plan* plan) {
  plan->startup_cost = 0;
  plan->total_cost = 0;
  plan->plan_rows = 0;
  plan->plan_width = 0;
}

}  // namespace idp
