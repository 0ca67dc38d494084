// GROUP BY and DISTINCT: groups of rows that agree on a key are made of rows of one unit.
#include "extension/plan/unit_keys.h"

#include <algorithm>

#include "extension/call/bound_call.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/plan/groups.h"

namespace idp {

namespace {

using Grouping = Comparison;

const ColumnFacts* column_at(const Rows& rows, AttrNumber number) {
  return number >= 1 && number <= rows.count ? &rows.columns[number - 1] : nullptr;
}

// The rows of groups, before their columns are known.
Rows groups_of(UnitWalk& walk, const PlanState* node, const Rows& below, const Grouping& grouping) {
  Rows rows = groups_of(below, keys_among(below, grouping), walk.given_to(node->plan));
  if (rows.problem != nullptr) return rows;
  if (tells_forms(outerPlan(node->plan), below, grouping)) return rows_with_problem(&kFormShown);
  return rows;
}

// Whether a group shows a column that is of any of its rows.
bool find_open(Node* node, void* context) {
  if (node == nullptr || IsA(node, Aggref)) return false;
  if (IsA(node, Var)) {
    const auto* shown = static_cast<const Rows*>(context);
    const ColumnFacts* column = column_at(*shown, reinterpret_cast<Var*>(node)->varattno);
    return column == nullptr || column->is_open;
  }
  return walk_expression(node, find_open, context);
}

bool shows_any_row(const Plan* plan, Rows& shown) {
  return find_open(reinterpret_cast<Node*>(plan->targetlist), &shown) ||
         find_open(reinterpret_cast<Node*>(plan->qual), &shown);
}

// Of the first aggregate that has one; null if none has.
const Problem* problem_of_functions(const AggState* node, bool is_fixed) {
  ListCell* cell;
  foreach (cell, node->aggs) {
    const auto* aggref = static_cast<const Aggref*>(lfirst(cell));
    if (const Problem* problem = problem_of_function(aggref, is_fixed)) return problem;
  }
  return nullptr;
}

// Whether aggregates of fixed rows are the same in whatever order these come.
bool are_settled(const UnitWalk& walk, const AggState* node, const Rows& below) {
  ListCell* cell;
  foreach (cell, node->aggs) {
    const auto* aggref = static_cast<const Aggref*>(lfirst(cell));
    if (!is_settled_in_groups(walk, aggref, {&below})) return false;
  }
  return true;
}

// Whether the node is the half, over rows, of private aggregates whose other half stands above,
// with others beside them or not.
bool is_private_half(AggState* node) {
  if (!DO_AGGSPLIT_SKIPFINAL(node->aggsplit)) return false;
  ListCell* cell;
  foreach (cell, node->aggs) {
    if (collects_privately(node, static_cast<const Aggref*>(lfirst(cell)))) return true;
  }
  return false;
}

// What is asked of the rows that private aggregates read, wherever these stand.
void look_at_input(const UnitWalk& walk, AggState* node, Rows* rows) {
  ListCell* cell;
  foreach (cell, node->aggs) {
    const auto* aggref = static_cast<const Aggref*>(lfirst(cell));
    if (!collects_privately(node, aggref)) continue;
    if (rows->has_absent && !leaves_out_absent(aggref, {rows})) rows->problem = &kAbsent;
    if (rows->problem == nullptr) rows->problem = problem_of_forms(walk, aggref, {rows});
  }
  const auto* plan = reinterpret_cast<const Agg*>(node->ss.ps.plan);
  rows->has_public_groups = rows->keeps_public;
  rows->has_public_groups &= plan->groupingSets == NIL && plan->chain == NIL;
  for (int i = 0; i < plan->numCols; ++i) {
    const ColumnFacts* column = column_at(*rows, plan->grpColIdx[i]);
    rows->has_public_groups &= column != nullptr && column->of_public;
  }
}

Rows rows_of_private_half(UnitWalk& walk, AggState* node) {
  Rows below = walk.rows_of(outerPlanState(node));
  if (below.problem != nullptr) return below;
  look_at_input(walk, node, &below);
  Rows rows = below;
  rows.has_absent = false;  // what is left of them is left out
  rows.pins = rows.limits = rows.unique = NIL;
  const Rows nothing;  // the other half reads states, and puts together those of one key
  project(walk, node->ss.ps.plan->targetlist, {&nothing, nullptr}, &rows);
  return rows;
}

}  // namespace

Rows rows_of_groups(UnitWalk& walk, PlanState* node) {
  const bool is_agg = IsA(node, AggState);
  auto* state = reinterpret_cast<AggState*>(node);
  if (is_agg && is_private_half(state)) return rows_of_private_half(walk, state);
  const Rows below = walk.rows_of(outerPlanState(node));
  if (below.problem != nullptr) return below;
  Grouping grouping{};
  if (is_agg) {
    const auto* plan = reinterpret_cast<const Agg*>(node->plan);
    if (!below.is_fixed && (!has_groups(plan) || plan->groupingSets != NIL || plan->chain != NIL)) {
      return rows_with_problem(&kMixedGroups);
    }
    grouping = {plan->numCols, plan->grpColIdx, plan->grpOperators, plan->grpCollations};
  } else {
    const auto* plan = reinterpret_cast<const Group*>(node->plan);
    grouping = {plan->numCols, plan->grpColIdx, plan->grpOperators, plan->grpCollations};
  }
  Rows rows = groups_of(walk, node, below, grouping);
  if (rows.problem != nullptr) return rows;
  Rows shown = shown_by_groups(walk, below, keys_among(below, grouping));
  if (shows_any_row(node->plan, shown)) return rows_with_problem(&kAnyRow);
  if (is_agg) {
    if (const Problem* problem = problem_of_functions(state, below.is_fixed)) {
      return rows_with_problem(problem);
    }
    if (below.is_fixed) rows.is_settled &= are_settled(walk, state, below);
    const auto* plan = reinterpret_cast<const Agg*>(node->plan);
    // the groups of each set, and of each process, by themselves
    const bool has_sets = plan->groupingSets != NIL || plan->chain != NIL;
    const bool repeats = has_sets || DO_AGGSPLIT_SKIPFINAL(plan->aggsplit);
    shown = after(walk, shown, {repeats, has_sets});
    if (repeats) {
      rows.unique = NIL;
      if (!below.is_fixed) rows.most = below.most;
      if (!rows.most.is_bounded()) rows.unbounded = below.unbounded;
    }
  }
  rows.pins = shown.pins;
  rows.limits = shown.limits;
  give_columns(walk, node, {&shown, nullptr, &below}, &rows);
  return rows;
}

namespace {

// By what sorted rows are in order.
Comparison order_of_rows(const PlanState* node) {
  const auto of = [](const auto* plan) {
    return Comparison{plan->numCols, plan->sortColIdx, plan->sortOperators, plan->collations};
  };
  switch (nodeTag(node->plan)) {
    case T_Sort:
    case T_IncrementalSort:  // begins with a Sort
      return of(reinterpret_cast<const Sort*>(node->plan));
    case T_GatherMerge:
      return of(reinterpret_cast<const GatherMerge*>(node->plan));
    default:
      return {};
  }
}

}  // namespace

// DISTINCT over sorted rows: the first of those that agree.
Rows rows_of_distinct(UnitWalk& walk, PlanState* node) {
  const auto* plan = reinterpret_cast<const Unique*>(node->plan);
  PlanState* child = outerPlanState(node);
  const Rows below = walk.rows_of(child);
  if (below.problem != nullptr) return below;
  const Grouping grouping{plan->numCols, plan->uniqColIdx, plan->uniqOperators,
                          plan->uniqCollations};
  Rows rows = groups_of(walk, node, below, grouping);
  if (rows.problem != nullptr) return rows;
  const Comparison order = order_of_rows(child);
  if (tells_forms(child->plan, below, order)) return rows_with_problem(&kFormShown);
  const bool is_settled = covers_unique(below, equalities_by(keys_among(below, order)), false);
  const Keys keys = keys_among(below, grouping);
  const bool are_alike = are_all_columns(below, keys);
  if (!below.is_fixed && !are_alike && !is_settled) return rows_with_problem(&kFirstOfPeers);
  if (is_settled || !are_alike) rows.is_settled = is_settled && below.is_settled;
  const Rows shown = is_settled ? below : shown_by_groups(walk, below, keys);
  rows.unique = list_concat_copy(rows.unique, below.unique);
  rows.pins = below.pins;
  rows.limits = below.limits;
  give_columns(walk, node, {&shown, nullptr}, &rows);
  return rows;
}

namespace {

Bitmapset* aggregates_of_one_value(UnitWalk& walk, const AggState* node, const Rows& rows) {
  Bitmapset* aggregates = nullptr;
  for_each_argument(walk, node, rows, [&](int aggregate, const ColumnFacts& facts) {
    if (is_one_value(facts)) aggregates = bms_add_member(aggregates, aggregate);
  });
  return aggregates;
}

}  // namespace

UnitInput unit_input(AggState* node, const PrivacyUnit& unit) {
  UnitWalk walk(unit, node->ss.ps.state);
  Rows rows = walk.rows_of(outerPlanState(node));
  const bool combines = DO_AGGSPLIT_COMBINE(node->aggsplit);
  if (rows.problem == nullptr && !combines) look_at_input(walk, node, &rows);
  // nothing of the account is read: as if one row were
  const Multiplicity most = rows.is_fixed ? Multiplicity::of(1) : rows.most;
  return {rows.problem,
          std::max(most, Multiplicity::of(1)),
          rows.unbounded,
          rows.has_public_groups,
          aggregates_of_one_value(walk, node, rows),
          masses_of(walk, node, rows)};
}

}  // namespace idp
