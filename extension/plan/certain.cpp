#include "extension/plan/certain.h"

#include "extension/pg/expression_kinds.h"

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
      return reinterpret_cast<Param*>(node)->paramkind != PARAM_EXTERN;
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

#if PG_VERSION_NUM >= 180000
const PartitionPruneInfo* pruning_at(int index, const EState* state) {
  return index < 0 ? nullptr
                   : static_cast<PartitionPruneInfo*>(list_nth(state->es_part_prune_infos, index));
}
template <class Node>
const PartitionPruneInfo* pruning_of(const Node* plan, const EState* state) {
  return pruning_at(plan->part_prune_index, state);
}
#else
template <class Node>
const PartitionPruneInfo* pruning_of(const Node* plan, const EState*) {
  return plan->part_prune_info;
}
#endif

}  // namespace

bool is_certain(Node* expression) { return !find_uncertain(expression, nullptr); }

bool has_certain_members(const PlanState* node) {
  const PartitionPruneInfo* pruning = nullptr;
  if (IsA(node->plan, Append)) {
    pruning = pruning_of(reinterpret_cast<const Append*>(node->plan), node->state);
  } else if (IsA(node->plan, MergeAppend)) {
    pruning = pruning_of(reinterpret_cast<const MergeAppend*>(node->plan), node->state);
  }
  if (pruning == nullptr) return true;
  ListCell* cell;
  ListCell* inner;
  foreach (cell, pruning->prune_infos) {
    foreach (inner, static_cast<List*>(lfirst(cell))) {
      const auto* table = static_cast<const PartitionedRelPruneInfo*>(lfirst(inner));
      if (!is_certain(reinterpret_cast<Node*>(table->initial_pruning_steps))) return false;
    }
  }
  return true;
}

}  // namespace idp
