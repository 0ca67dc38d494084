#include "extension/plan/bind.h"

#include "extension/call/functions.h"
#include "extension/call/refused_name.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/stable_functions.h"
#include "extension/plan/plan_trace.h"
#include "extension/plan/typmod.h"
#include "extension/state/running_query.h"
#include "extension/total/twins.h"

extern "C" {
#include "access/parallel.h"
}

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
      return as<Param>(node)->paramkind != PARAM_EXTERN;
    default:
      return is_unstable_node(node) || walk_expression(node, varies_walker, context);
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

Arguments constant_arguments(const Call& call, List* args, const PlanNode& node) {
  Arguments arguments;
  for (int i = 0; i < call.parameters; ++i) {
    const auto* entry = static_cast<TargetEntry*>(list_nth(args, call.column_arguments + i));
    Node* expr = pull_up_computations(as<Node>(entry->expr), node);
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

// Outside the plan's own expressions (no parent node), so that nothing is compiled for it.
void evaluate(BoundCall& bound, const Arguments& arguments, PlanState* node) {
  for (int i = 0; i < bound.call.parameters; ++i) {
    ExprState* state =
        ExecInitExprWithParams(as<Expr>(arguments.expressions[i]), node->state->es_param_list_info);
    NullableDatum& value = bound.parameters[i];
    value.value = ExecEvalExpr(state, node->ps_ExprContext, &value.isnull);
  }
  bound.request = read_request(bound.call, bound.parameters);
}

Call describe(Statistic statistic, Oid transition_function, const Aggref* aggref,
              const PlanNode& node) {
  Oid types[kMaxArguments] = {};
  std::size_t count = 0;
  for (auto* target : list<TargetEntry>(
           aggref->args)) {  // columns that only ORDER BY names follow, marked as junk
    const auto* entry = target;
    if (entry->resjunk || count == lengthof(types)) break;
    types[count++] = exprType(as<Node>(entry->expr));
  }
  const bool is_numeric = count > 0 && getBaseType(types[0]) == NUMERICOID;
  const auto* column = static_cast<TargetEntry*>(linitial(aggref->args));
  const int32 typmod = is_numeric ? numeric_typmod(as<Node>(column->expr), node) : -1;
  return describe_call(statistic, transition_function, {types, count}, typmod);
}

// PostgreSQL chooses an overload by the types of all arguments, and over a numeric column bounds in
// double precision lead to the one of double precision.
void note_cast_column(const Aggref* aggref) {
  const auto* column = static_cast<TargetEntry*>(linitial(aggref->args));
  const Node* value = original_of(as<Node>(column->expr));
  if (IsParallelWorker() || !IsA(value, FuncExpr)) return;
  const auto* cast = as<FuncExpr>(value);
  if (cast->funcformat != COERCE_IMPLICIT_CAST || cast->funcresulttype != FLOAT8OID) return;
  if (getBaseType(exprType(static_cast<Node*>(linitial(cast->args)))) != NUMERICOID) return;
  ereport(NOTICE, (errmsg("%s is computed in double precision over a numeric column",
                          get_func_name(aggref->aggfnoid)),
                   errdetail("A bound is double precision, and the types of all arguments choose "
                             "the aggregate."),
                   errhint("Cast the bounds to numeric to have the column's type and digits.")));
}

void require_collation(const Call& call, const Aggref* aggref) {
  if (call.column.grid.type != ValueType::kText || OidIsValid(aggref->inputcollid)) return;
  // Comparing strings would fail as well, but with the first row only.
  ereport(ERROR, (errcode(ERRCODE_INDETERMINATE_COLLATION),
                  errmsg("could not determine which collation to use for string comparison"),
                  errhint("Use the COLLATE clause to set the collation explicitly.")));
}

bool bind_arguments(BoundCall& bound) {
  PlanState* top = &bound.node->ss.ps;
  PlanNode place = plan_node(top);
  const Aggref* aggref = half_with_arguments(place, bound.aggref);
  const Oid transition = transition_function_of(aggref->aggfnoid);
  FmgrInfo function;
  fmgr_info(transition, &function);
  const Statistic statistic = statistic_of(function.fn_addr);
  if (statistic == Statistic::kNone) return false;
  if (refused_statistic_of(function.fn_addr) != Statistic::kNone) {
    refuse_release_name(statistic, bound.name);
  }
  bound.call = describe(statistic, transition, aggref, place);
  const Arguments arguments = constant_arguments(bound.call, aggref->args, place);
  if (bound.call.column_arguments > 0 && aggref == bound.aggref) note_cast_column(aggref);
  require_collation(bound.call, aggref);
  if (is_only_explained(top->state)) {
    // A generic plan can be explained before its parameters have values.
    for (int i = 0; i < bound.call.parameters; ++i) {
      if (has_parameter(arguments.expressions[i], nullptr)) return false;
    }
  }
  evaluate(bound, arguments, top);
  return true;
}

}  // namespace

const Aggref* half_with_arguments(PlanNode& node, Aggref* aggref) {
  if (!DO_AGGSPLIT_COMBINE(aggref->aggsplit)) return aggref;
  const Aggref* half = partial_half(node, aggref);
  if (half == nullptr) {
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("arguments of aggregate %s cannot be found in the plan of the query",
                           get_func_name(aggref->aggfnoid)),
                    errdetail("It is computed in two halves, in a way that is not known."),
                    errhint("Without parallel, partition-wise and eager aggregation it is one.")));
  }
  return half;
}

BoundCall* bind_call(AggState* node, Aggref* aggref) {
  BoundCall* bound = new_bound_call(node, aggref);
  bound->name = get_func_name(aggref->aggfnoid);
  bound->is_bound = true;
  bound->has_request = bind_arguments(*bound);
  return bound;
}

bool evaluate_request(AggState* node, Aggref* aggref, Request& request) {
  const BoundCall* bound = bind_call(node, aggref);
  request = bound->request;
  return bound->has_request;
}

}  // namespace idp
