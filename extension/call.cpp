#include "extension/call.h"

#include "extension/catalog_lookup.h"

namespace idp {

namespace {

struct Argument {
  Parameter parameter;
  const char* name;
};

constexpr int kMaxArguments = 3;

// What follows the column, in SQL order; epsilon is always the first.
struct Signature {
  int count;
  Argument arguments[kMaxArguments];
};

constexpr Argument kEpsilonArgument = {Parameter::kEpsilon, "epsilon"};
constexpr Argument kLowerArgument = {Parameter::kLower, "lower"};
constexpr Argument kUpperArgument = {Parameter::kUpper, "upper"};
constexpr Argument kKArgument = {Parameter::kK, "k"};

const Signature& signature_of(Statistic statistic) {
  static constexpr Signature kPlain = {1, {kEpsilonArgument}};
  static constexpr Signature kFraction = {2,
                                          {kEpsilonArgument, {Parameter::kFraction, "fraction"}}};
  static constexpr Signature kLower = {2, {kEpsilonArgument, kLowerArgument}};
  static constexpr Signature kUpper = {2, {kEpsilonArgument, kUpperArgument}};
  static constexpr Signature kK = {2, {kEpsilonArgument, kKArgument}};
  static constexpr Signature kRange = {3, {kEpsilonArgument, kLowerArgument, kUpperArgument}};
  switch (statistic) {
    case Statistic::kQuantile:
      return kFraction;
    case Statistic::kMin:
      return kLower;
    case Statistic::kMax:
      return kUpper;
    case Statistic::kKthSmallest:
    case Statistic::kKthLargest:
      return kK;
    case Statistic::kTruncatedRange:
    case Statistic::kCountRange:
      return kRange;
    default:
      return kPlain;
  }
}

void refuse_null(const char* name) {
  ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", name)));
}

void report_violation(const Violation& violation) {
  ereport(ERROR, (errcode(violation.out_of_range ? ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE
                                                 : ERRCODE_INVALID_PARAMETER_VALUE),
                  errmsg("%s %s", violation.argument, violation.rule)));
}

// A bound as a key of the column's grid. It is rounded towards the inside of the range, so that
// what is clamped to it stays within the bound as it was given.
Key128 read_bound(const Call& call, const Argument& argument, Datum value) {
  const Rounding rounding =
      argument.parameter == Parameter::kLower && call.statistic == Statistic::kMin
          ? Rounding::kCeiling
          : Rounding::kFloor;
  Key128 wide{0, 0};
  Key64 narrow = 0;
  const bool is_number = call.column.grid.is_wide()
                             ? wide_key(call.column, value, wide, rounding)
                             : narrow_key(call.column, value, narrow, rounding);
  if (!is_number) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("%s must not be NaN", argument.name)));
  }
  return call.column.grid.is_wide() ? wide : widen(narrow);
}

}  // namespace

int parameter_count(Statistic statistic) { return signature_of(statistic).count; }

Call describe_call(Statistic statistic, Oid transition_function, List* args) {
  Call call;
  call.statistic = statistic;
  call.column_arguments = statistic == Statistic::kCount ? 0 : 1;
  const int expected = call.column_arguments + parameter_count(statistic);
  if (list_length(args) < expected) {
    elog(ERROR, "aggregate over idp_state has %d arguments instead of %d", list_length(args),
         expected);
  }
  if (call.column_arguments == 0) return call;

  // The declared type of the function, not of the expression: the values come as that type.
  const ValueType type = value_type_of(function_argument_type(transition_function, 1));
  if (type == ValueType::kNone) elog(ERROR, "unsupported column type of an idp aggregate");
  const auto* column = reinterpret_cast<TargetEntry*>(linitial(args));
  const Node* expr = reinterpret_cast<const Node*>(column->expr);
  // Range counts compare numeric values as they are; the grid then only identifies the bounds.
  const bool selects = collects_values(statistic);
  call.column = Column::of(grid_of(type, selects ? exprTypmod(expr) : -1));
  return call;
}

Spec read_spec(const Call& call, const NullableDatum* values) {
  Spec spec;
  spec.statistic = call.statistic;
  spec.grid = call.column.grid;
  if (call.statistic == Statistic::kMedian) spec.fraction = 0.5;
  const Signature& signature = signature_of(call.statistic);
  for (int i = 0; i < signature.count; ++i) {
    const Argument& argument = signature.arguments[i];
    if (values[i].isnull) refuse_null(argument.name);
    const Datum value = values[i].value;
    switch (argument.parameter) {
      case Parameter::kEpsilon:
        spec.epsilon = DatumGetFloat8(value);
        break;
      case Parameter::kFraction:
        spec.fraction = DatumGetFloat8(value);
        break;
      case Parameter::kK:
        spec.k = DatumGetInt32(value);
        break;
      case Parameter::kLower:
        spec.lower = read_bound(call, argument, value);
        break;
      case Parameter::kUpper:
        spec.upper = read_bound(call, argument, value);
        break;
    }
  }
  if (const auto violation = find_violation(spec)) report_violation(*violation);
  if (spec.has(Parameter::kLower) && spec.has(Parameter::kUpper) &&
      spec.grid.type == ValueType::kNumeric &&
      DatumGetBool(DirectFunctionCall2(numeric_gt, values[1].value, values[2].value))) {
    report_violation(kCrossedBounds);  // they differ by less than the grid can tell
  }
  return spec;
}

namespace {

// Finds what may differ from row to row.
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
    default:
      return walk_expression(node, varies_walker, context);
  }
}

bool varies(Node* expr) { return varies_walker(expr, nullptr) || contain_volatile_functions(expr); }

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

Expr* argument_expression(List* args, int position) {
  return reinterpret_cast<TargetEntry*>(list_nth(args, position))->expr;
}

// Evaluates the parameters of a call with the parameters the plan node sees.
Spec evaluate_arguments(const Call& call, List* args, PlanState* parent) {
  NullableDatum values[kMaxArguments];
  for (int i = 0; i < parameter_count(call.statistic); ++i) {
    ExprState* state = ExecInitExpr(argument_expression(args, call.column_arguments + i), parent);
    values[i].value = ExecEvalExpr(state, parent->ps_ExprContext, &values[i].isnull);
  }
  return read_spec(call, values);
}

void require_constant_arguments(const Call& call, List* args) {
  const Signature& signature = signature_of(call.statistic);
  for (int i = 0; i < signature.count; ++i) {
    Node* expr = reinterpret_cast<Node*>(argument_expression(args, call.column_arguments + i));
    if (varies(expr)) {
      ereport(ERROR, (errcode(ERRCODE_INVALID_COLUMN_REFERENCE),
                      errmsg("%s must be a constant or a parameter of the query",
                             signature.arguments[i].name),
                      errdetail("Its value must be the same for every row of the aggregate.")));
    }
  }
}

}  // namespace

void check_call(const Call& call, List* args, PlanState* parent) {
  require_constant_arguments(call, args);
  bool explain_only = (parent->state->es_top_eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0;
  for (int i = 0; i < parameter_count(call.statistic); ++i) {
    Node* expr = reinterpret_cast<Node*>(argument_expression(args, call.column_arguments + i));
    if (unknown_walker(expr, &explain_only)) return;
  }
  (void)evaluate_arguments(call, args, parent);
}

namespace {

Plan* first_child(Plan* plan) {
  switch (nodeTag(plan)) {
    case T_Append: {
      List* children = reinterpret_cast<Append*>(plan)->appendplans;
      return children == NIL ? nullptr : static_cast<Plan*>(linitial(children));
    }
    case T_MergeAppend: {
      List* children = reinterpret_cast<MergeAppend*>(plan)->mergeplans;
      return children == NIL ? nullptr : static_cast<Plan*>(linitial(children));
    }
    case T_SubqueryScan:
      return reinterpret_cast<SubqueryScan*>(plan)->subplan;
    default:
      return plan->lefttree;
  }
}

// The aggregate whose partial results the final half reads: follows the column they come in down
// the plan, through Gather, Sort, Append and the like, to where it is computed.
Aggref* partial_half(Plan* plan, Aggref* aggref) {
  Expr* expr = argument_expression(aggref->args, 0);
  while (expr != nullptr && IsA(expr, Var)) {
    plan = first_child(plan);
    if (plan == nullptr) return nullptr;
    const TargetEntry* entry =
        get_tle_by_resno(plan->targetlist, reinterpret_cast<Var*>(expr)->varattno);
    expr = entry == nullptr ? nullptr : entry->expr;
  }
  return expr != nullptr && IsA(expr, Aggref) ? reinterpret_cast<Aggref*>(expr) : nullptr;
}

}  // namespace

bool evaluate_spec(AggState* parent, Aggref* aggref, Spec& spec) {
  if (DO_AGGSPLIT_COMBINE(aggref->aggsplit)) {
    aggref = partial_half(parent->ss.ps.plan, aggref);
    if (aggref == nullptr) elog(ERROR, "could not find the arguments of an idp aggregate");
  }
  const Oid transition = transition_function_of(aggref->aggfnoid);
  FmgrInfo function;
  fmgr_info(transition, &function);
  const Statistic statistic = statistic_of(function.fn_addr);
  if (statistic == Statistic::kNone) return false;
  const Call call = describe_call(statistic, transition, aggref->args);
  require_constant_arguments(call, aggref->args);
  spec = evaluate_arguments(call, aggref->args, &parent->ss.ps);
  return true;
}

}  // namespace idp
