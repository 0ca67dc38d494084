#include "extension/plan/arguments.h"

#include "extension/call/functions.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/plan/plan_trace.h"

namespace idp {

namespace {

// Finds what may differ from row to row, and what is only known while rows are read: subqueries and
// references to an outer query, which arrive as executor parameters. Nor may an argument come from
// a function that reads tables: whether it breaks its rule would depend on data.
bool varies_walker(Node* node, void* context) {
  if (node == nullptr) return false;
  switch (nodeTag(node)) {
    case T_Var:
    case T_Aggref:
    case T_GroupingFunc:
    case T_WindowFunc:
    case T_SubPlan:
    case T_AlternativeSubPlan:
    case T_NextValueExpr:
      return true;
    case T_Param:
      return reinterpret_cast<Param*>(node)->paramkind != PARAM_EXTERN;
    default:
      return check_functions_in_node(node, is_unsteady, nullptr) ||
             walk_expression(node, varies_walker, context);
  }
}

bool has_parameter(Node* node, void* context) {
  if (node == nullptr) return false;
  return IsA(node, Param) || walk_expression(node, has_parameter, context);
}

// The parameters of a call as expressions that are the same for every row, or an error.
struct Arguments {
  Node* expressions[kMaxParameters];
};

Arguments constant_arguments(const Call& call, List* args, Plan* plan) {
  Arguments arguments;
  for (int i = 0; i < call.parameters; ++i) {
    const auto* entry = static_cast<TargetEntry*>(list_nth(args, call.column_arguments + i));
    Node* expr = pull_up_computations(reinterpret_cast<Node*>(entry->expr), plan);
    if (varies_walker(expr, nullptr) || expression_returns_set(expr)) {
      ereport(ERROR,
              (errcode(ERRCODE_INVALID_COLUMN_REFERENCE),
               errmsg("%s must be a constant or a parameter of the query", parameter_name(call, i)),
               errdetail("Its value must be the same for every row of the aggregate, and "
                         "known before the first one is read.")));
    }
    arguments.expressions[i] = expr;
  }
  return arguments;
}

// Outside the plan's own expressions (no parent node), so that nothing is compiled for it: with
// many groups that saw no row this runs once for each.
Request evaluate(const Call& call, const Arguments& arguments, PlanState* node) {
  NullableDatum values[kMaxParameters];
  for (int i = 0; i < call.parameters; ++i) {
    ExprState* state = ExecInitExprWithParams(reinterpret_cast<Expr*>(arguments.expressions[i]),
                                              node->state->es_param_list_info);
    values[i].value = ExecEvalExpr(state, node->ps_ExprContext, &values[i].isnull);
  }
  return read_request(call, values);
}

}  // namespace

void check_call(const Call& call, List* args, PlanState* node) {
  const Arguments arguments = constant_arguments(call, args, node->plan);
  if (node->state->es_top_eflags & EXEC_FLAG_EXPLAIN_ONLY) {
    // A generic plan can be explained before its parameters have values.
    for (int i = 0; i < call.parameters; ++i) {
      if (has_parameter(arguments.expressions[i], nullptr)) return;
    }
  }
  (void)evaluate(call, arguments, node);
}

const Aggref* half_with_arguments(Plan*& plan, Aggref* aggref) {
  if (!DO_AGGSPLIT_COMBINE(aggref->aggsplit)) return aggref;
  const Aggref* half = partial_half(plan, aggref);
  if (half == nullptr) {
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("arguments of aggregate %s cannot be found in the plan of the query",
                           get_func_name(aggref->aggfnoid)),
                    errdetail("It is computed in two halves, in a way that is not known."),
                    errhint("Without parallel, partition-wise and eager aggregation it is one.")));
  }
  return half;
}

bool evaluate_request(AggState* parent, Aggref* whole, Request& request) {
  Plan* plan = parent->ss.ps.plan;
  const Aggref* aggref = half_with_arguments(plan, whole);
  const Oid transition = transition_function_of(aggref->aggfnoid);
  FmgrInfo function;
  fmgr_info(transition, &function);
  const Statistic statistic = statistic_of(function.fn_addr);
  if (statistic == Statistic::kNone) return false;
  const Call call =
      describe_call(statistic, transition, aggref->args, state_of_plan(&parent->ss.ps, plan));
  const Arguments arguments = constant_arguments(call, aggref->args, plan);
  request = evaluate(call, arguments, &parent->ss.ps);
  return true;
}

}  // namespace idp
