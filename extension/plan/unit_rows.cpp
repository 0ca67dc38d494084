#include "extension/plan/unit_rows.h"

#include "extension/plan/input.h"
#include "extension/plan/gate.h"
#include "extension/plan/key_rows.h"
#include "extension/plan/node_rules.h"

namespace idp {

namespace {

const Problem* first(const Problem* a, const Problem* b) { return a ? a : b; }

bool find_parameters(Node* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, Param) && reinterpret_cast<Param*>(node)->paramkind == PARAM_EXEC) {
    auto** found = static_cast<Bitmapset**>(context);
    *found = bms_add_member(*found, reinterpret_cast<Param*>(node)->paramid);
  }
  return walk_expression(node, find_parameters, context);
}

Bitmapset* parameters_in(List* expressions) {
  Bitmapset* found = nullptr;
  (void)find_parameters(reinterpret_cast<Node*>(expressions), &found);
  return found;
}

bool is_window(const Plan* plan) { return IsA(plan, WindowAgg); }

// One row has one value in each column. Not where there is one for each value of a parameter.
void set_columns_of_unit(const UnitWalk& walk, const Plan* plan, Rows* rows) {
  if (rows->is_fixed || rows->has_absent || !(rows->most <= Multiplicity::of(1))) return;
  if (!bms_is_empty(walk.given_to(plan))) return;
  for (int i = 0; i < rows->count; ++i) rows->columns[i].of_unit = true;
}

}  // namespace

Rows rows_with_problem(const Problem* problem) {
  Rows rows;
  rows.problem = problem;
  return rows;
}

Rows UnitWalk::rows_of(PlanState* node) {
  check_stack_depth();
  Plan* plan = node->plan;
  const auto problem_in = [&](List* expressions) {
    return expression_problem(reinterpret_cast<Node*>(expressions), all_bound(), is_window(plan));
  };
  const NodeRule& rule = rule_of(plan);
  if (const Problem* problem = problem_in(further_expressions(plan, node->state->es_plannedstmt))) {
    return rows_with_problem(rule.effect == Effect::kUnknown ? rule.problem : problem);
  }
  if (const Problem* problem = problem_of_index(plan)) return rows_with_problem(problem);
  Rows rows;
  switch (rule.effect) {
    case Effect::kScan:
      rows = rows_of_scan(*this, node);
      break;
    case Effect::kPass:
      if (IsA(plan, CteScan)) {
        rows = pass(node, rows_of_cte(reinterpret_cast<const CteScanState*>(node)));
      } else if (IsA(plan, SubqueryScan)) {
        rows = pass(node, rows_of(reinterpret_cast<SubqueryScanState*>(node)->subplan));
      } else if (outerPlanState(node) != nullptr) {
        if (IsA(plan, Memoize)) share_among_equals(reinterpret_cast<const Memoize*>(plan));
        rows = pass(node, rows_of(outerPlanState(node)));
      } else {
        auto* one_row = static_cast<UniqueSet*>(palloc0(sizeof(UniqueSet)));
        one_row->given = given_to(plan);
        rows.unique = list_make1(one_row);
        give_columns(*this, node, {}, &rows);
      }
      break;
    case Effect::kMembers:
      rows = rows_of_members(node);
      break;
    case Effect::kJoin:
      rows = rows_of_join(*this, node);
      break;
    case Effect::kGroups:
      rows = rows_of_groups(*this, node);
      break;
    case Effect::kDistinct:
      rows = rows_of_distinct(*this, node);
      break;
    case Effect::kWindows:
      rows = rows_of_windows(*this, node);
      break;
    case Effect::kFixed:
      rows = rows_of_fixed(node, *rule.problem);
      break;
    case Effect::kUnknown:
      return rows_with_problem(first(rule.problem, &kSeveralTables));
  }
  if (rows.problem != nullptr) return rows;
  rows.problem = first(problem_in(plan->targetlist), problem_in(conditions_besides_gates(plan)));
  set_columns_of_unit(*this, plan, &rows);
  return rows;
}

// Each row once, or not at all: what is true of all that came is true of those that are left.
Rows UnitWalk::pass(PlanState* node, Rows below) {
  if (below.problem != nullptr) return below;
  Rows rows = below;
  const Plan* plan = node->plan;
  const bool filters =
      plan->qual != NIL ||
      (IsA(plan, Result) && reinterpret_cast<const Result*>(plan)->resconstantqual != nullptr);
  rows.keeps_public &= !filters;
  rows.has_public_groups &= !filters;
  const NodeInputs inputs{&below, nullptr};
  give_columns(*this, node, inputs, &rows);
  apply_limits(*this, plan->qual, inputs, &rows);
  return rows;
}

Rows UnitWalk::rows_of_cte(const CteScanState* node) {
  enter_cte();
  Rows rows = rows_of(node->cteplanstate);
  leave_cte();
  return rows;
}

// It keeps the rows of its inner side for values of parameters that are equal, unless it compares
// all of their bits: what is made of such a value may be made of another of its forms.
void UnitWalk::share_among_equals(const Memoize* plan) {
  if (plan->binary_mode) return;
  Bitmapset* keys = parameters_in(plan->param_exprs);
  for (int i = -1; (i = bms_next_member(keys, i)) >= 0;) {
    const ColumnFacts* column = bound(i);
    if (column != nullptr && !column->has_one_form) set_of_any_form(i);
  }
}

// Rows of anything, if none of them is of the account.
Rows UnitWalk::rows_of_fixed(PlanState* node, const Problem& problem) {
  Rows rows;
  Rows own;
  bool any_form = false;
  bool have_one_form = true;
  for_each_child(node, [&](const Child& child) {
    Rows below = rows_of(child.node);
    if (below.problem != nullptr || !below.is_fixed) rows.problem = &problem;
    for (int i = 0; i < below.count; ++i) {
      any_form |= below.columns[i].is_of_any_form;
      have_one_form &= below.columns[i].has_one_form;
    }
    rows.is_settled &= below.is_settled;
    own = below;
  });
  if (rows.problem != nullptr) return rows;
  switch (nodeTag(node)) {
    case T_LimitState:  // some of the rows, the first to come
      rows.is_settled = false;
      break;
    case T_ProjectSetState:
      own = after(*this, own, {true, false});
      break;
    default: {  // columns of their own: of none is known what it is made of
      List* parts = further_expressions(node->plan, node->state->es_plannedstmt);
      any_form |= form_of(*this, reinterpret_cast<const Node*>(parts), {}) != Form::kOwn;
      if (any_form) return rows_with_problem(&kFormShown);
      rows.is_settled &= have_one_form;  // INTERSECT gives one of those that are equal
      own = Rows{};
    }
  }
  rows.unique = own.unique;
  rows.pins = own.pins;
  give_columns(*this, node, {&own, nullptr}, &rows);
  return rows;
}

// UNION ALL, and the parts of a table.
Rows UnitWalk::rows_of_members(PlanState* node) {
  List* members = NIL;
  bool has_constants = false;
  for_each_child(node, [&](const Child& child) {
    if (gives_key_rows(child.node->plan)) return;  // no aggregate sees them
    has_constants |= is_row_of_constants(child.node);
    auto* member = static_cast<Rows*>(palloc(sizeof(Rows)));
    *member = rows_of(child.node);
    members = lappend(members, member);
  });
  Rows columns;
  project(*this, node->plan->targetlist, {}, &columns);
  return rows_of_all(members, columns, has_constants);
}

}  // namespace idp
