#include "extension/plan/typmod.h"

#include "extension/call/functions.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/group_functions.h"
#include "extension/plan/node_rules.h"
#include "extension/total/twins.h"
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

void collect(Node* node, const PlanNode& reader, Declarations& found);

void collect_all(List* nodes, const PlanNode& reader, Declarations& found) {
  for (auto* node : list<Node>(nodes)) collect(node, reader, found);
}

void declare(int32 typmod, Declarations& found) {
  found.typmod = !found.any || found.typmod == typmod ? typmod : -1;
  found.any = true;
}

// A column whose type says nothing: what the nodes below compute for it, which pass values on, or
// put NULL in their place.
void collect_column(const Var* column, const PlanNode& reader, Declarations& found) {
  const List* plans = plans_behind(reader.plan, column, reader.subplans);
  if (plans == NIL) return declare(-1, found);
  for (auto* each : list<Plan>(plans)) {
    const PlanNode node = {each, reader.subplans};
    const TargetEntry* entry = column_shown(node.plan->targetlist, column->varattno);
    if (entry == nullptr) return declare(-1, found);
    collect(as<Node>(entry->expr), node, found);
  }
}

int32 declared_typmod(Node* node) {
  int32 typmod = exprTypmod(original_of(node));
  (void)getBaseTypeAndTypmod(exprType(node), &typmod);
  return typmod;
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

int32 typmod_of_clip(const WindowFunc* call) {
  if (!is_clip(call->winfnoid)) return -1;
  const auto* bound = static_cast<const Const*>(lsecond(call->args));
  if (!IsA(bound, Const) || bound->constisnull || bound->consttype != NUMERICOID) return -1;
  if (!is_finite_numeric(bound->constvalue)) return -1;
  const int32 scale = scale_of_clip(bound->constvalue);
  if (scale > Grid::kPlainNumericScale) return -1;
  constexpr int32 kPrecision = Grid::kMaxNarrowPrecision;
  const int32 typmod = ((kPrecision << 16) | scale) + static_cast<int32>(VARHDRSZ);
  return holds(typmod, bound) ? typmod : -1;
}

namespace {

void collect(Node* node, const PlanNode& reader, Declarations& found) {
  check_stack_depth();
  const int32 typmod = declared_typmod(node);
  if (typmod >= 0) return declare(typmod, found);
  switch (nodeTag(node)) {
    case T_Const:
      if (!as<Const>(node)->constisnull) {
        found.constants = lappend(found.constants, node);
      }
      return;
    case T_CoerceToDomain:
      return collect(as<Node>(as<CoerceToDomain>(node)->arg), reader, found);
    case T_MinMaxExpr:
      return collect_all(as<MinMaxExpr>(node)->args, reader, found);
    case T_WindowFunc:
      return declare(typmod_of_clip(as<WindowFunc>(node)), found);
    case T_Var:
      return collect_column(as<Var>(node), reader, found);
    default: {
      List* values = values_chosen(node);
      return values == NIL ? declare(-1, found) : collect_all(values, reader, found);
    }
  }
}

}  // namespace

int32 numeric_typmod(Node* expression, const PlanNode& reader) {
  Declarations found;
  collect(expression, reader, found);
  for (auto* value : list<Const>(found.constants)) {
    if (found.typmod >= 0 && !holds(found.typmod, value)) return -1;
  }
  return found.typmod;
}

}  // namespace idp
