#include "extension/plan/plan_trace.h"

#include "extension/pg/nodes.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/node_rules.h"

namespace idp {

namespace {

List* nodes_behind(const PlanNode& node, const Expr* column) {
  return plans_behind(node.plan, as<Var>(column), node.subplans);
}

// What a node computes for the column of its output that var names.
Expr* computed_by(const Plan* plan, const Expr* column) {
  const AttrNumber number = as<Var>(column)->varattno;
  const TargetEntry* entry = column_shown(plan->targetlist, number);
  return entry == nullptr ? nullptr : entry->expr;
}

// The expression, not itself a column, behind an output column of the nodes a reader's column
// comes from, followed down as long as values come up unchanged, and the same in all of them. Null
// if there is none.
Expr* computation(const PlanNode& reader, const Expr* column) {
  if (may_put_null(reader.plan)) return nullptr;
  Expr* common = nullptr;
  for (auto* each : list<Plan>(nodes_behind(reader, column))) {
    const PlanNode node = {each, reader.subplans};
    Expr* expr = computed_by(node.plan, column);
    if (expr != nullptr && IsA(expr, Var)) expr = computation(node, expr);
    if (expr == nullptr || (common != nullptr && !equal(common, expr))) return nullptr;
    common = expr;
  }
  return common;
}

Node* replace_column(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Var)) return map_expression(node, replace_column, context);
  // the aggregate that reads the columns gives none of them back itself
  const auto* reader = static_cast<const PlanNode*>(context);
  const PlanNode below = {reader->plan->lefttree, reader->subplans};
  const auto* column = as<Expr>(node);
  Expr* found = computed_by(below.plan, column);
  if (found != nullptr && IsA(found, Var)) found = computation(below, found);
  return found == nullptr ? node : as<Node>(found);
}

Node* replace_by_base(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Var)) return map_expression(node, replace_by_base, context);
  const auto* reader = static_cast<const PlanNode*>(context);
  const auto* column = as<Expr>(node);
  if (as<Var>(node)->varno == INDEX_VAR && IsA(reader->plan, IndexOnlyScan)) {
    const List* indexed = as<IndexOnlyScan>(reader->plan)->indextlist;
    const auto* entry = column_shown(indexed, as<Var>(node)->varattno);
    return static_cast<Node*>(copyObjectImpl(entry ? as<Node>(entry->expr) : node));
  }
  const List* plans = nodes_behind(*reader, column);
  const Expr* computed =
      plans == NIL ? nullptr : computed_by(static_cast<Plan*>(linitial(plans)), column);
  if (computed == nullptr) return static_cast<Node*>(copyObjectImpl(node));
  PlanNode below = {static_cast<Plan*>(linitial(plans)), reader->subplans};
  return replace_by_base(as<Node>(const_cast<Expr*>(computed)), &below);
}

}  // namespace

PlanNode plan_node(const PlanState* state) {
  return {state->plan, state->state->es_plannedstmt->subplans};
}

Aggref* partial_half(PlanNode& node, Aggref* final_half) {
  Expr* expr = static_cast<TargetEntry*>(linitial(final_half->args))->expr;
  while (expr != nullptr && IsA(expr, Var)) {
    const List* plans = nodes_behind(node, expr);
    if (plans == NIL) return nullptr;
    node.plan = static_cast<Plan*>(linitial(plans));
    expr = computed_by(node.plan, expr);
  }
  return expr != nullptr && IsA(expr, Aggref) ? as<Aggref>(expr) : nullptr;
}

Node* base_expression(Node* expression, const PlanNode& node) {
  PlanNode reader = node;
  return replace_by_base(expression, &reader);
}

Node* pull_up_computations(Node* expression, const PlanNode& node) {
  PlanNode reader = node;
  return replace_column(expression, &reader);
}

}  // namespace idp
