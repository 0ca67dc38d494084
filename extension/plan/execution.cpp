#include "extension/plan/execution.h"

#include "extension/pg/nodes.h"
#include "extension/plan/certain.h"
#include "extension/state/running_query.h"

namespace idp {

namespace {

// Whether it is written in the plan itself: true or false, or a list of these.
bool is_constant(Node* condition) {
  if (condition == nullptr || !IsA(condition, List)) return condition && IsA(condition, Const);
  ListCell* cell;
  foreach (cell, as<List>(condition)) {
    if (!IsA(lfirst(cell), Const)) return false;
  }
  return true;
}

}  // namespace

bool is_never_executed(PlanState* node) {
  EState* state = node->state;
  // WITH … INSERT runs to its end, whether or not its rows are read
  if (state->es_auxmodifytables != NIL) return false;
  const bool is_explained = is_only_explained(state);
  if (IsA(node, LimitState)) {
    Node* count = as<Limit>(node->plan)->limitCount;
    if (count == nullptr || !is_certain(count)) return false;
    // EXPLAIN evaluates nothing
    if (is_explained && !IsA(count, Const)) return false;
    bool is_null = false;
    const Datum limit =
        ExecEvalExprSwitchContext(as<LimitState>(node)->limitCount, node->ps_ExprContext, &is_null);
    return !is_null && DatumGetInt64(limit) == 0;
  }
  if (IsA(node, ResultState)) {
    Node* condition = as<Result>(node->plan)->resconstantqual;
    if (is_explained && !is_constant(condition)) return false;
    return condition != nullptr && is_certain(condition) &&
           !ExecQual(as<ResultState>(node)->resconstantqual, node->ps_ExprContext);
  }
  return false;
}

namespace {

bool find_value(Node* node, void* numbers) {
  if (node == nullptr) return false;
  if (IsA(node, Param)) {
    const auto* parameter = as<Param>(node);
    return parameter->paramkind == PARAM_EXEC &&
           list_member_int(static_cast<const List*>(numbers), parameter->paramid);
  }
  return walk_expression(node, find_value, numbers);
}

}  // namespace

bool is_read_by_limit(const PlanState* node, const SubPlan* initial_plan) {
  if (!IsA(node, LimitState)) return false;
  const auto* limit = as<Limit>(node->plan);
  return find_value(limit->limitOffset, initial_plan->setParam) ||
         find_value(limit->limitCount, initial_plan->setParam);
}

}  // namespace idp
