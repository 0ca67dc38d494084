// GROUP BY and DISTINCT: groups of rows that agree on a key are made of rows of one unit.
#include "extension/plan/unit_rows.h"

#include <algorithm>

#include "extension/call/bound_call.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/keys.h"
#include "extension/plan/group_functions.h"
#include "extension/plan/groups.h"

extern "C" {
#include "access/transam.h"
}

namespace idp {

namespace {

constexpr Problem kMixedGroups = {
    "another aggregate, or DISTINCT",
    "Apply the private aggregate to the table, or to groups of one unit each: GROUP BY its key; "
    "dp_count_distinct counts different values.",
    "group by the key of a unit, or use dp_count_distinct"};
constexpr Problem kGroupFunction = {
    "an aggregate whose value may depend on more than the rows of its group",
    "Use count, min, max, bool_and, bool_or, and over integers or numeric sum, avg, variance and "
    "stddev: sum(x::numeric(12,2)).",
    "use count, min, max, or sum(x::numeric(12,2))"};
constexpr Problem kUserAggregate = {"an aggregate that is not the server's own",
                                    "Use the aggregates of the server.", "use the server's"};
constexpr Problem kFirstOfPeers = {"DISTINCT ON whose ORDER BY leaves open which row comes first",
                                   "Add a unique key of the rows to ORDER BY.",
                                   "add a unique key to ORDER BY"};
constexpr Problem kAnyRow = {"groups that show a column of any of their rows",
                             "Apply an aggregate such as max to the column.",
                             "apply an aggregate such as max to the column"};
constexpr Problem kAbsent = {
    "rows of an outer join that belong to nobody",
    "Leave them out: FILTER (WHERE … IS NOT NULL), over a column of the protected table.",
    "leave them out with FILTER (WHERE … IS NOT NULL)"};

using Grouping = Comparison;

const ColumnFacts* column_at(const Rows& rows, AttrNumber number) {
  return number >= 1 && number <= rows.count ? &rows.columns[number - 1] : nullptr;
}

// Which keys are among the columns: any, so that rows that agree on them are of one unit; and that
// of the unit, so that all rows of it agree.
struct Held {
  bool any;
  bool unit;
};
Held keys_held(const Rows& below, const Grouping& grouping) {
  Held held{false, false};
  for (int i = 0; i < grouping.count; ++i) {
    const ColumnFacts* column = column_at(below, grouping.columns[i]);
    if (column == nullptr || column->key == nullptr) continue;
    if (!is_equality_of(column->key->family, grouping.operators[i], grouping.collations[i])) {
      continue;
    }
    held.any = true;
    held.unit |= column->key->is_unit;
  }
  return held;
}

bool is_limited(const ColumnFacts& column, Oid op, Oid collation, const List* columns) {
  ListCell* cell;
  foreach (cell, columns) {
    const auto* limited = static_cast<const UniqueSet::Column*>(lfirst(cell));
    if (limited->id == column.id && is_equality_of(limited->family, op, collation)) return true;
  }
  return false;
}

// Whether all columns are the same in all rows of a unit, or among those.
bool are_of_unit(const Rows& below, const Grouping& grouping, const List* limited) {
  for (int i = 0; i < grouping.count; ++i) {
    const ColumnFacts* column = column_at(below, grouping.columns[i]);
    if (column == nullptr) return false;
    if (!agrees_within_unit(*column, grouping.operators[i], grouping.collations[i]) &&
        !is_limited(*column, grouping.operators[i], grouping.collations[i], limited)) {
      return false;
    }
  }
  return true;
}

Multiplicity groups_of_unit(const Rows& below, const Grouping& grouping, bool holds_unit) {
  Multiplicity most = below.most;
  if (!holds_unit) return most;
  if (are_of_unit(below, grouping, NIL)) most = std::min(most, Multiplicity::of(1));
  ListCell* cell;
  foreach (cell, below.limits) {
    const auto* limit = static_cast<const DistinctLimit*>(lfirst(cell));
    if (are_of_unit(below, grouping, limit->columns)) most = std::min(most, limit->most);
  }
  return most;
}

Oid family_of(Oid op) {
  List* families = get_mergejoin_opfamilies(op);
  return families == NIL ? InvalidOid : linitial_oid(families);
}

// No two groups agree on all columns. NULL is a group as well.
UniqueSet* set_of_groups(const Rows& below, const Grouping& grouping, Bitmapset* given) {
  auto* set = static_cast<UniqueSet*>(palloc0(sizeof(UniqueSet)));
  set->without_nulls = true;
  set->given = given;
  for (int i = 0; i < grouping.count; ++i) {
    const ColumnFacts* facts = column_at(below, grouping.columns[i]);
    auto* column = static_cast<UniqueSet::Column*>(palloc(sizeof(UniqueSet::Column)));
    *column = {facts == nullptr ? 0 : facts->id, family_of(grouping.operators[i])};
    set->columns = lappend(set->columns, column);
  }
  return set;
}

// Of equal values a group shows the first to come.
bool are_of_one_form(const Rows& below, const Grouping& grouping) {
  for (int i = 0; i < grouping.count; ++i) {
    const ColumnFacts* column = column_at(below, grouping.columns[i]);
    if (column == nullptr || !column->has_one_form) return false;
  }
  return true;
}

// The rows of groups, before their columns are known.
Rows groups_of(UnitWalk& walk, const PlanState* node, const Rows& below, const Grouping& grouping) {
  Rows rows;
  const Held held = keys_held(below, grouping);
  if (!below.is_fixed && !held.any) return rows_with_problem(&kMixedGroups);
  if (tells_forms(outerPlan(node->plan), below, grouping)) return rows_with_problem(&kFormShown);
  Bitmapset* given = walk.given_to(node->plan);
  rows.is_fixed = below.is_fixed;
  rows.is_lateral = below.is_lateral || !bms_is_empty(given);
  rows.is_settled = below.is_settled && (!below.is_fixed || are_of_one_form(below, grouping));
  rows.unique = list_make1(set_of_groups(below, grouping, given));
  if (!below.is_fixed) rows.most = groups_of_unit(below, grouping, held.unit);
  if (!rows.most.is_bounded()) rows.unbounded = below.unbounded;
  return rows;
}

// Whether all rows of a group have one row of a table there: its key is among the columns.
bool is_of_one_row(const UnitWalk& walk, const Rows& below, const Grouping& grouping, int scan) {
  const auto is_grouped = [&](const KeyColumn& part) {
    for (int i = 0; i < grouping.count; ++i) {
      const ColumnFacts* column = column_at(below, grouping.columns[i]);
      if (column != nullptr && column->scan == scan && column->attribute == part.column &&
          is_equality_of(part.family, grouping.operators[i], grouping.collations[i])) {
        return true;
      }
    }
    return false;
  };
  if (scan == 0) return false;
  ListCell* cell;
  foreach (cell, walk.keys_of(scan)) {
    const auto* key = static_cast<const UniqueKey*>(lfirst(cell));
    if (std::all_of(key->columns, key->columns + key->count, is_grouped)) return true;
  }
  return false;
}

// The columns of the rows below, in the one that a group shows. What it is grouped by is one of
// values that are equal; all else, which the planner takes to follow from that, has to be the same
// in all rows of the group. Fixed rows come in the same order for all neighbours.
Rows shown_by_groups(UnitWalk& walk, const Rows& below, const Grouping& grouping) {
  Rows shown = after(walk, below, {false, false});
  if (below.is_fixed) return shown;
  for (int i = 0; i < shown.count; ++i) {
    ColumnFacts& facts = shown.columns[i];
    const bool is_grouped =
        std::any_of(grouping.columns, grouping.columns + grouping.count, [&](AttrNumber number) {
          const ColumnFacts* column = column_at(below, number);
          return column != nullptr && column->id == facts.id;
        });
    facts.is_open =
        !is_grouped && !facts.of_unit && !is_of_one_row(walk, below, grouping, facts.scan);
    facts.is_of_any_form |= is_grouped && !facts.of_unit && !facts.has_one_form;
  }
  return shown;
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

// The first aggregate that is none of those; null if all are.
const Problem* problem_of_functions(const AggState* node, bool is_fixed) {
  ListCell* cell;
  foreach (cell, node->aggs) {
    const auto* aggref = static_cast<const Aggref*>(lfirst(cell));
    if (is_fixed) {
      if (aggref->aggfnoid >= FirstGenbkiObjectId) return &kUserAggregate;
    } else if (!depends_on_group_alone(aggref->aggfnoid)) {
      return &kGroupFunction;
    }
  }
  return nullptr;
}

// Whether aggregates of fixed rows are the same in whatever order these come.
bool are_settled(const UnitWalk& walk, const AggState* node, const Rows& below) {
  ListCell* cell;
  foreach (cell, node->aggs) {
    const auto* aggref = static_cast<const Aggref*>(lfirst(cell));
    if (!depends_on_group_alone(aggref->aggfnoid)) return false;
    if (aggref->aggdistinct == NIL && !gives_an_argument(aggref->aggfnoid)) continue;
    ListCell* inner;
    foreach (inner, aggref->args) {
      const auto* argument = static_cast<const TargetEntry*>(lfirst(inner));
      if (!has_one_form(walk, reinterpret_cast<const Node*>(argument->expr), {&below})) {
        return false;
      }
    }
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
    if (rows->has_absent && !leaves_out_absent(aggref, *rows)) rows->problem = &kAbsent;
    if (rows->problem == nullptr) rows->problem = problem_of_forms(walk, aggref, *rows);
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
  Rows shown = shown_by_groups(walk, below, grouping);
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

// The order as equalities.
List* equalities_of(const Rows& rows, const Comparison& by) {
  List* order = NIL;
  for (int i = 0; i < by.count; ++i) {
    const ColumnFacts* column = column_at(rows, by.columns[i]);
    if (column == nullptr) continue;
    auto* equal = static_cast<Equal*>(palloc(sizeof(Equal)));
    *equal = {column->id, get_equality_op_for_ordering_op(by.operators[i], nullptr),
              by.collations[i]};
    order = lappend(order, equal);
  }
  return order;
}

bool are_all_columns(const Rows& rows, const Grouping& grouping) {
  for (int i = 0; i < rows.count; ++i) {
    bool found = false;
    for (int k = 0; k < grouping.count; ++k) {
      const ColumnFacts* column = column_at(rows, grouping.columns[k]);
      found |= column != nullptr && column->id == rows.columns[i].id;
    }
    if (!found) return false;
  }
  return true;
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
  const bool is_settled = covers_unique(below, equalities_of(below, order), false);
  const bool are_alike = are_all_columns(below, grouping);
  if (!below.is_fixed && !are_alike && !is_settled) return rows_with_problem(&kFirstOfPeers);
  if (is_settled || !are_alike) rows.is_settled = is_settled && below.is_settled;
  const Rows shown = is_settled ? below : shown_by_groups(walk, below, grouping);
  rows.unique = list_concat_copy(rows.unique, below.unique);
  rows.pins = below.pins;
  rows.limits = below.limits;
  give_columns(walk, node, {&shown, nullptr}, &rows);
  return rows;
}

namespace {

// Whether equal values would look alike is what counts: different ones are told apart by their
// form.
bool is_one_value(const ColumnFacts& facts) {
  return facts.of_unit || (facts.key != nullptr && facts.key->is_unit && facts.has_one_form);
}

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
