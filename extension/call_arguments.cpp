// Checking and evaluating the arguments of a call without a row to read them from.
#include "extension/call.h"
#include "extension/catalog_lookup.h"
#include "extension/plan_trace.h"

namespace idp {

namespace {

// Finds what may differ from row to row. A subquery counts as well: its value, and so whether it
// breaks a rule, would only be known once rows are read, and may depend on them.
bool varies_walker(Node* node, void* context) {
  if (node == nullptr) return false;
  switch (nodeTag(node)) {
    case T_Var:
    case T_Aggref:
    case T_GroupingFunc:
    case T_WindowFunc:
    case T_SubPlan:
    case T_AlternativeSubPlan:
      return true;
    case T_Param: {
      const auto* param = reinterpret_cast<Param*>(node);
      const ParamExecData* values = static_cast<EState*>(context)->es_param_exec_vals;
      return param->paramkind == PARAM_EXEC && values != nullptr &&
             values[param->paramid].execPlan != nullptr;  // an uncorrelated subquery
    }
    default:
      return walk_expression(node, varies_walker, context);
  }
}

// Finds parameters whose value is not there yet: those set while the plan runs always, those of the
// query when a plan is only explained.
bool unknown_walker(Node* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, Param)) {
    const bool explain_only = *static_cast<bool*>(context);
    return explain_only || reinterpret_cast<Param*>(node)->paramkind != PARAM_EXTERN;
  }
  return walk_expression(node, unknown_walker, context);
}

// The parameters of a call as expressions that are the same for every row, or an error.
struct Arguments {
  Node* expressions[kMaxParameters];
};

Arguments constant_arguments(const Call& call, List* args, Plan* plan, EState* state) {
  Arguments arguments;
  for (int i = 0; i < parameter_count(call.statistic); ++i) {
    const auto* entry = static_cast<TargetEntry*>(list_nth(args, call.column_arguments + i));
    Node* expr = pull_up_computations(reinterpret_cast<Node*>(entry->expr), plan);
    if (varies_walker(expr, state) || contain_volatile_functions(expr)) {
      ereport(ERROR, (errcode(ERRCODE_INVALID_COLUMN_REFERENCE),
                      errmsg("%s must be a constant or a parameter of the query",
                             parameter_name(call.statistic, i)),
                      errdetail("Its value must be the same for every row of the aggregate, and "
                                "known before the first one is read.")));
    }
    arguments.expressions[i] = expr;
  }
  return arguments;
}

Spec evaluate(const Call& call, const Arguments& arguments, PlanState* parent) {
  NullableDatum values[kMaxParameters];
  for (int i = 0; i < parameter_count(call.statistic); ++i) {
    ExprState* state = ExecInitExpr(reinterpret_cast<Expr*>(arguments.expressions[i]), parent);
    values[i].value = ExecEvalExpr(state, parent->ps_ExprContext, &values[i].isnull);
  }
  return read_spec(call, values);
}

}  // namespace

void check_call(const Call& call, List* args, PlanState* parent) {
  const Arguments arguments = constant_arguments(call, args, parent->plan, parent->state);
  bool explain_only = (parent->state->es_top_eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0;
  for (int i = 0; i < parameter_count(call.statistic); ++i) {
    if (unknown_walker(arguments.expressions[i], &explain_only)) return;
  }
  (void)evaluate(call, arguments, parent);
}

bool evaluate_spec(AggState* parent, Aggref* aggref, Spec& spec) {
  Plan* plan = parent->ss.ps.plan;
  if (DO_AGGSPLIT_COMBINE(aggref->aggsplit)) {
    aggref = partial_half(plan, aggref);
    if (aggref == nullptr) elog(ERROR, "could not find the arguments of an idp aggregate");
  }
  const Oid transition = transition_function_of(aggref->aggfnoid);
  FmgrInfo function;
  fmgr_info(transition, &function);
  const Statistic statistic = statistic_of(function.fn_addr);
  if (statistic == Statistic::kNone) return false;
  const Call call = describe_call(statistic, transition, aggref->args);
  const Arguments arguments = constant_arguments(call, aggref->args, plan, parent->ss.ps.state);
  spec = evaluate(call, arguments, &parent->ss.ps);
  return true;
}

}  // namespace idp
