#include "extension/plan_trace.h"

namespace idp {

namespace {

// The child whose rows, or one of the children whose rows, a node passes on.
Plan* first_child(Plan* plan) {
  List* children = NIL;
  switch (nodeTag(plan)) {
    case T_Append:
      children = reinterpret_cast<Append*>(plan)->appendplans;
      break;
    case T_MergeAppend:
      children = reinterpret_cast<MergeAppend*>(plan)->mergeplans;
      break;
    case T_SubqueryScan:
      return reinterpret_cast<SubqueryScan*>(plan)->subplan;
    default:
      return plan->lefttree;
  }
  return children == NIL ? nullptr : static_cast<Plan*>(linitial(children));
}

// The same for nodes with a single child, whose columns come up as they are: not joins, which may
// put NULL in their place, and not Append, whose children may differ.
Plan* only_child(Plan* plan) {
  switch (nodeTag(plan)) {
    case T_Gather:
    case T_GatherMerge:
    case T_Sort:
    case T_IncrementalSort:
    case T_Material:
    case T_Result:
    case T_SubqueryScan:
      return first_child(plan);
    default:
      return nullptr;
  }
}

// What a node computes for the column of its output that var names.
Expr* computed_by(Plan* plan, Expr* var) {
  const AttrNumber column = reinterpret_cast<Var*>(var)->varattno;
  const TargetEntry* entry = get_tle_by_resno(plan->targetlist, column);
  return entry == nullptr ? nullptr : entry->expr;
}

Node* replace_column(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Var)) return map_expression(node, replace_column, context);
  Expr* expr = reinterpret_cast<Expr*>(node);
  Plan* child = static_cast<Plan*>(context)->lefttree;
  while (child != nullptr && expr != nullptr && IsA(expr, Var)) {
    expr = computed_by(child, expr);
    child = only_child(child);
  }
  return expr == nullptr || IsA(expr, Var) ? node : reinterpret_cast<Node*>(expr);
}

}  // namespace

Aggref* partial_half(Plan*& plan, Aggref* final_half) {
  Expr* expr = static_cast<TargetEntry*>(linitial(final_half->args))->expr;
  while (expr != nullptr && IsA(expr, Var)) {
    plan = first_child(plan);
    if (plan == nullptr) return nullptr;
    expr = computed_by(plan, expr);
  }
  return expr != nullptr && IsA(expr, Aggref) ? reinterpret_cast<Aggref*>(expr) : nullptr;
}

Node* pull_up_computations(Node* expression, Plan* plan) {
  return replace_column(expression, plan);
}

}  // namespace idp
