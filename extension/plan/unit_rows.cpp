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
    return expression_problem(reinterpret_cast<Node*>(expressions), bound_, is_window(plan));
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
  ++ctes_;
  Rows rows = rows_of(node->cteplanstate);
  --ctes_;
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

namespace {

// Which column of some rows it is, from 0; negative if none.
int position_of(const Rows& rows, int id) {
  for (int i = 0; i < rows.count; ++i) {
    if (rows.columns[i].id == id) return i;
  }
  return -1;
}

// The set over the columns of other rows in the same places; null if one is not among them.
UniqueSet* moved(const UniqueSet& set, const Rows& from, const Rows& to) {
  auto* copy = static_cast<UniqueSet*>(palloc(sizeof(UniqueSet)));
  *copy = set;
  copy->columns = NIL;
  ListCell* cell;
  foreach (cell, set.columns) {
    const auto* column = static_cast<const UniqueSet::Column*>(lfirst(cell));
    const int position = position_of(from, column->id);
    if (position < 0 || position >= to.count) return nullptr;
    auto* there = static_cast<UniqueSet::Column*>(palloc(sizeof(UniqueSet::Column)));
    *there = {to.columns[position].id, column->family};
    copy->columns = lappend(copy->columns, there);
  }
  return copy;
}

bool has_column(const List* columns, const UniqueSet::Column& wanted) {
  ListCell* cell;
  foreach (cell, columns) {
    const auto* column = static_cast<const UniqueSet::Column*>(lfirst(cell));
    if (column->id == wanted.id && column->family == wanted.family) return true;
  }
  return false;
}

// Whether two sets over the same columns come from the same index, in the same way.
bool are_same(const UniqueSet& a, const UniqueSet& b) {
  if (!OidIsValid(a.index) || a.index != b.index || !equal(a.pinned, b.pinned) ||
      list_length(a.columns) != list_length(b.columns)) {
    return false;
  }
  ListCell* cell;
  foreach (cell, a.columns) {
    if (!has_column(b.columns, *static_cast<const UniqueSet::Column*>(lfirst(cell)))) return false;
  }
  return true;
}

bool overlap(const List* some, const List* others) {
  ListCell* cell;
  foreach (cell, others) {
    if (list_member_oid(some, lfirst_oid(cell))) return true;
  }
  return false;
}

// Of the sets of the first member those that each has, as sets of the whole.
List* unique_of_all(const List* members, const Rows& rows) {
  const auto* first_member = static_cast<const Rows*>(linitial(members));
  List* unique = NIL;
  ListCell* cell;
  foreach (cell, first_member->unique) {
    const UniqueSet* set = moved(*static_cast<const UniqueSet*>(lfirst(cell)), *first_member, rows);
    bool in_all = set != nullptr;
    ListCell* inner;
    foreach (inner, members) {
      const auto* member = static_cast<const Rows*>(lfirst(inner));
      bool found = false;
      ListCell* other;
      foreach (other, member->unique) {
        const UniqueSet* its = moved(*static_cast<const UniqueSet*>(lfirst(other)), *member, rows);
        found |= in_all && its != nullptr && are_same(*set, *its);
      }
      in_all &= found;
    }
    if (in_all) unique = lappend(unique, const_cast<UniqueSet*>(set));
  }
  return unique;
}

// Likewise of columns that are equal to parameters.
List* pins_of_all(const List* members, const Rows& rows) {
  const auto* first_member = static_cast<const Rows*>(linitial(members));
  List* pins = NIL;
  ListCell* cell;
  foreach (cell, first_member->pins) {
    const auto* pin = static_cast<const Pin*>(lfirst(cell));
    const int position = position_of(*first_member, pin->column.id);
    bool in_all = position >= 0;
    ListCell* inner;
    foreach (inner, members) {
      const auto* member = static_cast<const Rows*>(lfirst(inner));
      bool found = false;
      ListCell* other;
      foreach (other, member->pins) {
        const auto* its = static_cast<const Pin*>(lfirst(other));
        found |= its->parameter == pin->parameter && its->op == pin->op &&
                 its->collation == pin->collation &&
                 position_of(*member, its->column.id) == position;
      }
      in_all &= found;
    }
    if (!in_all) continue;
    auto* copy = static_cast<Pin*>(palloc(sizeof(Pin)));
    *copy = *pin;
    copy->column = rows.columns[position];
    pins = lappend(pins, copy);
  }
  return pins;
}

}  // namespace

// UNION ALL, and the parts of a table.
Rows UnitWalk::rows_of_members(PlanState* node) {
  List* members = NIL;
  Rows rows;
  bool has_constants = false;
  for_each_child(node, [&](const Child& child) {
    if (gives_key_rows(child.node->plan)) return;  // no aggregate sees them
    has_constants |= is_row_of_constants(child.node);
    auto* member = static_cast<Rows*>(palloc(sizeof(Rows)));
    *member = rows_of(child.node);
    rows.problem = first(rows.problem, member->problem);
    members = lappend(members, member);
  });
  if (rows.problem != nullptr) return rows;
  bool any_fixed = false;
  bool are_slices = members != NIL;
  bool are_parts = are_slices;  // of one table
  // Different tables, of which those of the account have a unit in each row, as where a table
  // inherits from one that is not protected.
  bool are_by_row = are_slices;
  ListCell* cell;
  foreach (cell, members) {
    const auto* member = static_cast<const Rows*>(lfirst(cell));
    any_fixed |= member->is_fixed;
    rows.is_fixed &= member->is_fixed;
    if (member->has_absent) return rows_with_problem(&kUnionAll);
    rows.is_lateral |= member->is_lateral;
    rows.is_settled &= member->is_settled;
    rows.unbounded = first(rows.unbounded, member->unbounded);
    const bool is_another = member->slices != NIL && !overlap(rows.slices, member->slices);
    const bool is_part = rows.slices == NIL || rows.whole == member->whole;
    are_by_row &= is_another && (member->is_fixed || member->is_by_row);
    are_slices &= is_another && (is_part || (rows.is_by_row && member->is_by_row));
    are_parts &= are_slices && is_part;
    rows.is_by_row = member->is_by_row;
    rows.slices = list_concat_copy(rows.slices, member->slices);
    rows.whole = member->whole;
  }
  // some partitions may have an account of their own
  if (!rows.is_fixed && any_fixed && !are_parts && !are_by_row) {
    return rows_with_problem(has_constants ? &kUnionAll : &kSeveralTables);
  }
  if (!are_slices) rows.slices = NIL;
  foreach (cell, members) {
    const auto* member = static_cast<const Rows*>(lfirst(cell));
    rows.most =
        are_slices || are_by_row ? std::max(rows.most, member->most) : rows.most + member->most;
  }
  project(*this, node->plan->targetlist, {}, &rows);
  for (int i = 0; i < rows.count && members != NIL; ++i) {
    ColumnFacts& facts = rows.columns[i];
    const auto* one = static_cast<const Rows*>(linitial(members));
    facts.key = i < one->count ? one->columns[i].key : nullptr;
    foreach (cell, members) {
      const auto* member = static_cast<const Rows*>(lfirst(cell));
      if (i >= member->count || member->columns[i].key != facts.key) facts.key = nullptr;
    }
    const bool is_only_one = list_length(members) == 1;  // beside rows that no aggregate sees
    facts.mass = is_only_one && i < one->count ? one->columns[i].mass : nullptr;
    facts.of_unit = facts.of_public = false;
    foreach (cell, members) {
      const auto* member = static_cast<const Rows*>(lfirst(cell));
      facts.is_of_any_form |= i >= member->count || member->columns[i].is_of_any_form;
    }
  }
  if (are_parts) rows.unique = unique_of_all(members, rows);
  if (members != NIL) rows.pins = pins_of_all(members, rows);
  return rows;
}

}  // namespace idp
