#include "extension/plan/certain.h"

#include <algorithm>

#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/plan/node_rules.h"

extern "C" {
#include "access/transam.h"
#include "nodes/plannodes.h"
}

namespace idp {

namespace {

bool is_uncertain_function(Oid function, void*) {
  return function >= FirstNormalObjectId || func_volatile(function) != PROVOLATILE_IMMUTABLE;
}

// Lists what is certain, if its functions and its parts are.
bool find_uncertain(Node* node, void* context) {
  if (node == nullptr) return false;
  switch (nodeTag(node)) {
    case T_Const:
      return false;
    case T_Param:
      return as<Param>(node)->paramkind != PARAM_EXTERN;
    case T_CaseTestExpr:
    case T_PartitionPruneStepOp:
    case T_PartitionPruneStepCombine:
      break;
    default:
      if (!only_calls_functions(node)) return true;
  }
  return check_functions_in_node(node, is_uncertain_function, nullptr) ||
         walk_expression(node, find_uncertain, context);
}

}  // namespace

namespace {

constexpr Oid kTimeless[] = {BOOLOID,    INT2OID, INT4OID, INT8OID,      FLOAT4OID,   FLOAT8OID,
                             NUMERICOID, DATEOID, TIMEOID, TIMESTAMPOID, INTERVALOID, UUIDOID};
constexpr Oid kTexts[] = {TEXTOID, VARCHAROID, BPCHAROID};

template <std::size_t kCount>
bool is_among(Oid type, const Oid (&types)[kCount]) {
  return std::find(types, types + kCount, type) != types + kCount;
}

bool depends_on_time(Oid function, void* context) {
  if (is_uncertain_function(function, context)) return true;
  Oid* types = nullptr;
  int count = 0;
  if (!is_among(get_func_signature(function, &types, &count), kTimeless)) return true;
  return !std::all_of(types, types + count,
                      [](Oid type) { return is_among(type, kTimeless) || is_among(type, kTexts); });
}

}  // namespace

bool is_timeless(Node* node) {
  return !IsA(node, SQLValueFunction) && !IsA(node, CoerceViaIO) &&
         !check_functions_in_node(node, depends_on_time, nullptr);
}

bool is_certain(Node* expression) { return !find_uncertain(expression, nullptr); }

std::optional<NullableDatum> certain_value(Node* expression, EState* state) {
  if (!is_certain(expression)) return std::nullopt;
  if (!IsA(expression, Const) && state->es_param_list_info == nullptr) return std::nullopt;
  ExprState* compiled = ExecInitExprWithParams(as<Expr>(expression), state->es_param_list_info);
  NullableDatum found;
  found.value = ExecEvalExprSwitchContext(compiled, GetPerTupleExprContext(state), &found.isnull);
  return found;
}

bool has_certain_members(const PlanState* node) {
  bool all = true;
  for_each_pruning(node->plan, node->state->es_plannedstmt,
                   [&](const PartitionedRelPruneInfo* pruning) {
                     auto* steps = as<Node>(pruning->initial_pruning_steps);
                     all = all && is_certain(steps);
                   });
  return all;
}

}  // namespace idp
