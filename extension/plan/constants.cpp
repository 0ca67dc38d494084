#include "extension/plan/constants.h"

#include "extension/plan/certain.h"
#include "extension/plan/node_rules.h"
#include "extension/plan/settled.h"

namespace idp {

namespace {

Node* settle(Node* node, void* state) {
  if (node == nullptr || is_settled(node)) return node;
  if (!has_own_value(node) || !is_certain(node)) return map_expression(node, settle, state);
  return settled(node, static_cast<EState*>(state));
}

void settle_plan(Plan* plan, const PlannedStmt* statement, EState* state) {
  if (plan == nullptr) return;
  check_stack_depth();
  const auto settle_list = [&](List*& expressions) {
    expressions = reinterpret_cast<List*>(settle(reinterpret_cast<Node*>(expressions), state));
  };
  settle_list(plan->targetlist);
  settle_list(plan->qual);
  (void)for_each_further_list(plan, statement, settle_list);
  settle_plan(plan->lefttree, statement, state);
  settle_plan(plan->righttree, statement, state);
  ListCell* cell;
  foreach (cell, further_plans(plan)) {
    settle_plan(static_cast<Plan*>(lfirst(cell)), statement, state);
  }
}

}  // namespace

void settle_certain(PlannedStmt* statement, EState* state) {
  settle_plan(statement->planTree, statement, state);
  ListCell* cell;
  foreach (cell, statement->subplans) {
    settle_plan(static_cast<Plan*>(lfirst(cell)), statement, state);
  }
}

}  // namespace idp
