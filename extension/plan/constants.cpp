#include "extension/plan/constants.h"

#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/plan/certain.h"
#include "extension/plan/node_rules.h"
#include "extension/plan/settled.h"

namespace idp {

namespace {

bool is_meant(Node* node) { return has_own_value(node) && is_certain(node); }

Node* settle(Node* node, void* state) {
  if (node == nullptr || is_settled(node)) return node;
  if (!is_meant(node)) return map_expression(node, settle, state);
  return settled(node, static_cast<EState*>(state));
}

bool find_certain(Node* node, void*) {
  if (node == nullptr || IsA(node, Var) || IsA(node, Const) || is_settled(node)) return false;
  return is_meant(node) || walk_expression(node, find_certain, nullptr);
}

bool is_private(const Plan* plan) {
  return IsA(plan, Agg) &&
         (has_own_aggregate(as<Node>(plan->targetlist)) || has_own_aggregate(as<Node>(plan->qual)));
}

List* plans_below(const Plan* plan) {
  List* plans = list_concat_copy(further_plans(plan), NIL);
  if (plan->lefttree != nullptr) plans = lappend(plans, plan->lefttree);
  if (plan->righttree != nullptr) plans = lappend(plans, plan->righttree);
  return plans;
}

bool has_private(const Plan* plan) {
  check_stack_depth();
  if (is_private(plan)) return true;
  for (const auto* each : list<Plan>(plans_below(plan))) {
    if (has_private(each)) return true;
  }
  return false;
}

// Evaluated whenever it runs, and looked at when the query starts.
bool decides(const Plan* plan) {
  return IsA(plan, Limit) || IsA(plan, Result) || IsA(plan, Append) || IsA(plan, MergeAppend);
}

// A CTE is not known to be read by a private aggregate: it is settled as if it were.
void settle_plan(Plan* plan, bool is_input, const PlannedStmt* statement, EState* state) {
  check_stack_depth();
  const auto settle_list = [&](List*& expressions) {
    expressions = as<List>(settle(as<Node>(expressions), state));
  };
  is_input = is_input || is_private(plan);
  if (is_input) {
    settle_list(plan->targetlist);
    settle_list(plan->qual);
  }
  if (is_input || decides(plan)) (void)for_each_further_list(plan, statement, settle_list);
  for (auto* each : list<Plan>(plans_below(plan))) {
    settle_plan(each, is_input, statement, state);
  }
}

bool finds_below(Plan* plan, const PlannedStmt* statement, bool (*find)(Node*, void*)) {
  check_stack_depth();
  bool any = false;
  const auto look = [&](List* expressions) { any = any || find(as<Node>(expressions), nullptr); };
  look(plan->targetlist);
  look(plan->qual);
  (void)for_each_further_list(plan, statement, look);
  for (auto* each : list<Plan>(plans_below(plan))) {
    any = any || finds_below(each, statement, find);
  }
  return any;
}

}  // namespace

bool has_private_aggregates(const PlannedStmt* statement) {
  if (has_private(statement->planTree)) return true;
  ListCell* cell;
  foreach (cell, statement->subplans) {
    if (lfirst(cell) != nullptr && has_private(static_cast<const Plan*>(lfirst(cell)))) return true;
  }
  return false;
}

void settle_certain(PlannedStmt* statement, EState* state) {
  settle_plan(statement->planTree, false, statement, state);
  for (auto* plan : list<Plan>(statement->subplans)) {
    if (plan != nullptr) settle_plan(plan, !has_private(plan), statement, state);
  }
}

bool finds_in_plan(PlannedStmt* statement, bool (*find)(Node*, void*)) {
  bool any = finds_below(statement->planTree, statement, find);
  for (auto* plan : list<Plan>(statement->subplans)) {
    any = any || (plan != nullptr && finds_below(plan, statement, find));
  }
  return any;
}

bool has_certain(PlannedStmt* statement) { return finds_in_plan(statement, find_certain); }

}  // namespace idp
