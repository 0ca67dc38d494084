#include "extension/plan/typmod.h"

#include "extension/types/numeric_grid.h"
#include "extension/types/types.h"

namespace idp {

namespace {

// What the parts of an expression that yield its values say.
struct Declarations {
  bool any = false;
  int32 typmod = -1;      // that all agree on
  List* constants = NIL;  // of Const: not null, without a typmod
};

void collect(Node* node, PlanState* state, Declarations& found);

void collect_all(List* nodes, PlanState* state, Declarations& found) {
  ListCell* cell;
  foreach (cell, nodes) collect(static_cast<Node*>(lfirst(cell)), state, found);
}

void declare(int32 typmod, Declarations& found) {
  found.typmod = !found.any || found.typmod == typmod ? typmod : -1;
  found.any = true;
}

// A column that a plan node puts out.
void collect_output(PlanState* node, const Var* var, Declarations& found) {
  const TargetEntry* entry = get_tle_by_resno(node->plan->targetlist, var->varattno);
  if (entry == nullptr) return declare(-1, found);
  collect(reinterpret_cast<Node*>(entry->expr), node, found);
}

void collect_outputs(PlanState** nodes, int count, const Var* var, Declarations& found) {
  if (count == 0) return declare(-1, found);
  for (int i = 0; i < count; ++i) collect_output(nodes[i], var, found);
}

// A column whose type says nothing: what the node below computes for it, if that is one that passes
// values on, or puts NULL in their place.
void collect_column(const Var* var, PlanState* reader, Declarations& found) {
  PlanState* source = nullptr;
  if (reader == nullptr) return declare(-1, found);
  switch (nodeTag(reader)) {
    case T_AppendState: {
      auto* append = reinterpret_cast<AppendState*>(reader);
      return collect_outputs(append->appendplans, append->as_nplans, var, found);
    }
    case T_MergeAppendState: {
      auto* append = reinterpret_cast<MergeAppendState*>(reader);
      return collect_outputs(append->mergeplans, append->ms_nplans, var, found);
    }
    case T_SubqueryScanState:
      source = reinterpret_cast<SubqueryScanState*>(reader)->subplan;
      break;
    case T_CteScanState:
      source = reinterpret_cast<CteScanState*>(reader)->cteplanstate;
      break;
    case T_NestLoopState:
    case T_MergeJoinState:
    case T_HashJoinState:
      source = var->varno == INNER_VAR ? innerPlanState(reader) : outerPlanState(reader);
      break;
    case T_AggState:
    case T_GroupState:
    case T_ResultState:
    case T_ProjectSetState:
    case T_WindowAggState:
    case T_UniqueState:
    case T_LimitState:
    case T_LockRowsState:
    case T_SortState:
    case T_IncrementalSortState:
    case T_MaterialState:
    case T_MemoizeState:
    case T_HashState:
    case T_GatherState:
    case T_GatherMergeState:
      source = outerPlanState(reader);
      break;
    default:
      break;
  }
  if (source == nullptr) return declare(-1, found);
  collect_output(source, var, found);
}

int32 declared_typmod(Node* node) {
  int32 typmod = exprTypmod(node);
  (void)getBaseTypeAndTypmod(exprType(node), &typmod);
  return typmod;
}

void collect(Node* node, PlanState* state, Declarations& found) {
  check_stack_depth();
  const int32 typmod = declared_typmod(node);
  if (typmod >= 0) return declare(typmod, found);
  switch (nodeTag(node)) {
    case T_Const:
      if (!reinterpret_cast<Const*>(node)->constisnull) {
        found.constants = lappend(found.constants, node);
      }
      return;
    case T_RelabelType:
      return collect(reinterpret_cast<Node*>(reinterpret_cast<RelabelType*>(node)->arg), state,
                     found);
    case T_CoerceToDomain:
      return collect(reinterpret_cast<Node*>(reinterpret_cast<CoerceToDomain*>(node)->arg), state,
                     found);
    case T_CaseExpr: {
      auto* expr = reinterpret_cast<CaseExpr*>(node);
      ListCell* cell;
      foreach (cell, expr->args) {
        collect(reinterpret_cast<Node*>(static_cast<CaseWhen*>(lfirst(cell))->result), state,
                found);
      }
      if (expr->defresult) collect(reinterpret_cast<Node*>(expr->defresult), state, found);
      return;
    }
    case T_CoalesceExpr:
      return collect_all(reinterpret_cast<CoalesceExpr*>(node)->args, state, found);
    case T_MinMaxExpr:
      return collect_all(reinterpret_cast<MinMaxExpr*>(node)->args, state, found);
    case T_NullIfExpr:
      return collect(static_cast<Node*>(linitial(reinterpret_cast<NullIfExpr*>(node)->args)), state,
                     found);
    case T_Var:
      return collect_column(reinterpret_cast<Var*>(node), state, found);
    default:
      return declare(-1, found);
  }
}

// Whether the constant is a value of a column with that typmod.
bool holds(int32 typmod, const Const* constant) {
  if (constant->consttype != NUMERICOID) return false;
  const Grid grid = grid_of(ValueType::kNumeric, typmod);
  const Int128 limit = grid.max_units();
  const NumericUnits value =
      units_of_numeric(constant->constvalue, grid.scale, limit, Rounding::kFloor);
  return value.kind == NumericKind::kFinite && value.exact && value.units < limit &&
         value.units > -limit;
}

}  // namespace

int32 numeric_typmod(Node* expression, PlanState* node) {
  Declarations found;
  collect(expression, node, found);
  ListCell* cell;
  foreach (cell, found.constants) {
    if (found.typmod >= 0 && !holds(found.typmod, static_cast<Const*>(lfirst(cell)))) return -1;
  }
  return found.typmod;
}

}  // namespace idp
