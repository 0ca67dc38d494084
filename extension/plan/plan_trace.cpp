#include "extension/plan/plan_trace.h"

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

// The child a column of which var is, in an expression of the node.
Plan* child_of(Plan* plan, Expr* var) {
  return reinterpret_cast<Var*>(var)->varno == INNER_VAR ? plan->righttree : first_child(plan);
}

// What a node computes for the column of its output that var names.
Expr* computed_by(Plan* plan, Expr* var) {
  const AttrNumber column = reinterpret_cast<Var*>(var)->varattno;
  const TargetEntry* entry = get_tle_by_resno(plan->targetlist, column);
  return entry == nullptr ? nullptr : entry->expr;
}

Expr* computation(Plan* plan, Expr* var);

// The computation that all children agree on.
Expr* common_computation(List* children, Expr* var) {
  Expr* common = nullptr;
  ListCell* cell;
  foreach (cell, children) {
    Expr* expr = computation(static_cast<Plan*>(lfirst(cell)), var);
    if (expr == nullptr || (common != nullptr && !equal(common, expr))) return nullptr;
    common = expr;
  }
  return common;
}

bool is_inner_join(Plan* plan) {
  return (IsA(plan, NestLoop) || IsA(plan, HashJoin) || IsA(plan, MergeJoin)) &&
         reinterpret_cast<Join*>(plan)->jointype == JOIN_INNER;
}

// The expression, not itself a column, behind the column that var names in the output of a plan
// node, followed down as long as values come up unchanged. Null if there is none. Not through outer
// joins, which may put NULL in its place.
Expr* computation(Plan* plan, Expr* var) {
  if (plan == nullptr) return nullptr;
  Expr* expr = computed_by(plan, var);
  if (expr == nullptr || !IsA(expr, Var)) return expr;
  switch (nodeTag(plan)) {
    case T_Append:
      return common_computation(reinterpret_cast<Append*>(plan)->appendplans, expr);
    case T_MergeAppend:
      return common_computation(reinterpret_cast<MergeAppend*>(plan)->mergeplans, expr);
    case T_Gather:
    case T_GatherMerge:
    case T_Sort:
    case T_IncrementalSort:
    case T_Material:
    case T_Memoize:
    case T_Hash:
    case T_Result:
    case T_SubqueryScan:
      return computation(first_child(plan), expr);
    default:
      return is_inner_join(plan) ? computation(child_of(plan, expr), expr) : nullptr;
  }
}

Node* replace_column(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Var)) return map_expression(node, replace_column, context);
  Expr* found = computation(static_cast<Plan*>(context)->lefttree, reinterpret_cast<Expr*>(node));
  return found == nullptr ? node : reinterpret_cast<Node*>(found);
}

struct Search {
  const Plan* plan;
  PlanState* found;
};

bool find_state(PlanState* node, void* context) {
  if (node == nullptr) return false;
  auto* search = static_cast<Search*>(context);
  if (node->plan == search->plan) search->found = node;
  return search->found != nullptr || walk_plan_states(node, find_state, context);
}

// The node whose rows the columns of a node's expressions name, or null if they name a table's.
PlanState* source_of(PlanState* node) {
  switch (nodeTag(node)) {
    case T_AppendState: {
      const auto* append = reinterpret_cast<AppendState*>(node);
      return append->as_nplans > 0 ? append->appendplans[0] : nullptr;
    }
    case T_MergeAppendState: {
      const auto* append = reinterpret_cast<MergeAppendState*>(node);
      return append->ms_nplans > 0 ? append->mergeplans[0] : nullptr;
    }
    case T_SubqueryScanState:
      return reinterpret_cast<SubqueryScanState*>(node)->subplan;
    case T_CteScanState:
      return reinterpret_cast<CteScanState*>(node)->cteplanstate;
    case T_BitmapHeapScanState:
      return nullptr;
    default:
      return outerPlanState(node);
  }
}

Node* replace_by_base(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Var)) return map_expression(node, replace_by_base, context);
  auto* reader = static_cast<PlanState*>(context);
  const auto* var = reinterpret_cast<Var*>(node);
  List* computed = NIL;
  PlanState* source = nullptr;
  if (var->varno == INDEX_VAR && IsA(reader->plan, IndexOnlyScan)) {
    computed = reinterpret_cast<IndexOnlyScan*>(reader->plan)->indextlist;
  } else if ((source = source_of(reader)) != nullptr && var->varno != INNER_VAR) {
    computed = source->plan->targetlist;
  }
  const TargetEntry* entry = get_tle_by_resno(computed, var->varattno);
  if (entry == nullptr) return static_cast<Node*>(copyObjectImpl(node));
  auto* below = reinterpret_cast<Node*>(entry->expr);
  return source ? replace_by_base(below, source) : static_cast<Node*>(copyObjectImpl(below));
}

}  // namespace

Aggref* partial_half(Plan*& plan, Aggref* final_half) {
  Expr* expr = static_cast<TargetEntry*>(linitial(final_half->args))->expr;
  while (expr != nullptr && IsA(expr, Var)) {
    plan = child_of(plan, expr);
    if (plan == nullptr) return nullptr;
    expr = computed_by(plan, expr);
  }
  return expr != nullptr && IsA(expr, Aggref) ? reinterpret_cast<Aggref*>(expr) : nullptr;
}

PlanState* state_of_plan(PlanState* top, Plan* plan) {
  Search search{plan, nullptr};
  (void)find_state(top, &search);
  return search.found;
}

Node* base_expression(Node* expression, PlanState* node) {
  return replace_by_base(expression, node);
}

Node* pull_up_computations(Node* expression, Plan* plan) {
  return replace_column(expression, plan);
}

}  // namespace idp
