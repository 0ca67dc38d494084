#include "extension/plan/execution.h"

#include "extension/plan/certain.h"
#include "extension/plan/groups.h"

namespace idp {

namespace {

// Whether a plan yields one row at most.
bool is_one_row(PlanState* node) {
  switch (nodeTag(node)) {
    case T_AggState:
      return !has_groups(reinterpret_cast<Agg*>(node->plan));
    case T_SubqueryScanState:
      return is_one_row(reinterpret_cast<SubqueryScanState*>(node)->subplan);
    case T_ResultState:
      return outerPlanState(node) == nullptr || is_one_row(outerPlanState(node));
    default:
      return false;
  }
}

Execution execution_below_gather(PlanState* node, Execution outer) {
  if (outer != Execution::kOnce) return outer;
  if (IsA(node->plan, Gather)) {
    const auto* gather = reinterpret_cast<Gather*>(node->plan);
    return gather->single_copy || gather->num_workers == 0 ? outer : Execution::kByEachProcess;
  }
  return Execution::kByEachProcess;
}

// It reads what is below once if it can go back to the first row of what it kept, and that does not
// depend on what is outside.
bool keeps_rows(PlanState* node) {
  return (reinterpret_cast<MaterialState*>(node)->eflags & EXEC_FLAG_REWIND) != 0 &&
         bms_is_empty(outerPlanState(node)->plan->extParam);
}

// The first children of a parallel Append are executed by one process each, the others by all.
Execution execution_of_member(const PlanState* node, int position, Execution outer) {
  if (outer != Execution::kByEachProcess || !IsA(node->plan, Append)) return outer;
  const bool alone = node->plan->parallel_aware &&
                     position < reinterpret_cast<Append*>(node->plan)->first_partial_plan;
  return alone ? Execution::kOnce : outer;
}

}  // namespace

Execution execution_of_child(PlanState* node, const Child& child, Execution outer) {
  if (outer == Execution::kNever) return outer;
  switch (rule_of(node->plan).children) {
    case Repeats::kOnce:
      return child.role == Role::kMember ? execution_of_member(node, child.position, outer) : outer;
    case Repeats::kInnerRepeated: {
      const bool once = IsA(node, NestLoopState) && is_one_row(outerPlanState(node));
      return child.role == Role::kOuter || once ? outer : Execution::kRepeated;
    }
    case Repeats::kByProcesses:
      return execution_below_gather(node, outer);
    case Repeats::kKept:
      return outer == Execution::kRepeated && keeps_rows(node) ? Execution::kOnce : outer;
    case Repeats::kRepeated:
      break;
  }
  return Execution::kRepeated;
}

Execution execution_of_initial_plan(const PlanState* plan, Execution outer) {
  const bool once = outer == Execution::kRepeated && bms_is_empty(plan->plan->extParam);
  return once ? Execution::kOnce : outer;
}

Execution execution_of_subquery(const SubPlanState* subquery, Execution outer) {
  if (outer == Execution::kNever) return outer;
  const bool once =
      subquery->subplan->useHashTable && bms_is_empty(subquery->planstate->plan->extParam);
  return once ? outer : Execution::kRepeated;
}

namespace {

// Whether it is written in the plan itself: true or false, or a list of these.
bool is_constant(Node* condition) {
  if (condition == nullptr || !IsA(condition, List)) return condition && IsA(condition, Const);
  ListCell* cell;
  foreach (cell, reinterpret_cast<List*>(condition)) {
    if (!IsA(lfirst(cell), Const)) return false;
  }
  return true;
}

}  // namespace

bool is_never_executed(PlanState* node) {
  EState* state = node->state;
  // WITH … INSERT runs to its end, whether or not its rows are read
  if (state->es_auxmodifytables != NIL) return false;
  const bool is_explained = (state->es_top_eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0;
  if (IsA(node, LimitState)) {
    Node* count = reinterpret_cast<Limit*>(node->plan)->limitCount;
    if (count == nullptr || !is_certain(count)) return false;
    // EXPLAIN evaluates nothing
    if (is_explained && !IsA(count, Const)) return false;
    bool is_null = false;
    const Datum limit = ExecEvalExprSwitchContext(reinterpret_cast<LimitState*>(node)->limitCount,
                                                  node->ps_ExprContext, &is_null);
    return !is_null && DatumGetInt64(limit) == 0;
  }
  if (IsA(node, ResultState)) {
    Node* condition = reinterpret_cast<Result*>(node->plan)->resconstantqual;
    if (is_explained && !is_constant(condition)) return false;
    return condition != nullptr && is_certain(condition) &&
           !ExecQual(reinterpret_cast<ResultState*>(node)->resconstantqual, node->ps_ExprContext);
  }
  return false;
}

namespace {

bool find_value(Node* node, void* numbers) {
  if (node == nullptr) return false;
  if (IsA(node, Param)) {
    const auto* parameter = reinterpret_cast<const Param*>(node);
    return parameter->paramkind == PARAM_EXEC &&
           list_member_int(static_cast<const List*>(numbers), parameter->paramid);
  }
  return walk_expression(node, find_value, numbers);
}

}  // namespace

bool is_read_by_limit(const PlanState* node, const SubPlan* initial_plan) {
  if (!IsA(node, LimitState)) return false;
  const auto* limit = reinterpret_cast<const Limit*>(node->plan);
  return find_value(limit->limitOffset, initial_plan->setParam) ||
         find_value(limit->limitCount, initial_plan->setParam);
}

}  // namespace idp
