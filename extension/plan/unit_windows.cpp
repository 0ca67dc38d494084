// Window functions over partitions of one unit each: they add columns, and their ranks can bound
// how many rows of a unit are kept.
#include "extension/plan/unit_rows.h"

#include "extension/pg/keys.h"
#include "extension/pg/versions.h"
#include "extension/plan/group_functions.h"

extern "C" {
#include "nodes/parsenodes.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

constexpr Problem kMixedPartitions = {
    "a window function",
    "PARTITION BY the key of the unit, or apply window functions to private answers.",
    "partition by the key of the unit, or apply it to answers"};
constexpr Problem kWindowFunction = {
    "a window function whose value may depend on more than its partition",
    "Use row_number, rank, dense_rank, lag, lead, first_value, last_value and the aggregates that "
    "are allowed in GROUP BY.",
    "use row_number, rank or lag"};
constexpr Problem kPeers = {"a window function whose ORDER BY leaves the order of rows open",
                            "Add a unique key of the rows to ORDER BY.",
                            "add a unique key to ORDER BY"};
constexpr Problem kFrame = {"a window frame with an offset", "Use the whole partition as frame.",
                            "use the whole partition"};

struct Partition {
  bool any;      // whether each is of one unit
  bool of_unit;  // and all rows of the unit are in one
};

const ColumnFacts* column_at(const Rows& rows, AttrNumber number) {
  return number >= 1 && number <= rows.count ? &rows.columns[number - 1] : nullptr;
}

Partition partition_of(const Rows& below, const WindowAgg* plan) {
  Partition partition{false, true};
  bool holds_unit = false;
  for (int i = 0; i < plan->partNumCols; ++i) {
    const ColumnFacts* column = column_at(below, plan->partColIdx[i]);
    if (column == nullptr) return {false, false};
    partition.of_unit &=
        agrees_within_unit(*column, plan->partOperators[i], plan->partCollations[i]);
    if (column->key == nullptr ||
        !is_equality_of(column->key->family, plan->partOperators[i], plan->partCollations[i])) {
      continue;
    }
    partition.any = true;
    holds_unit |= column->key->is_unit;
  }
  partition.of_unit &= holds_unit;
  return partition;
}

List* equals_of(const Rows& below, const WindowAgg* plan) {
  List* equals = NIL;
  const auto add = [&](int count, const AttrNumber* columns, const Oid* operators,
                       const Oid* collations) {
    for (int i = 0; i < count; ++i) {
      const ColumnFacts* column = column_at(below, columns[i]);
      if (column == nullptr) continue;
      auto* equal = static_cast<Equal*>(palloc(sizeof(Equal)));
      *equal = {column->id, operators[i], collations[i]};
      equals = lappend(equals, equal);
    }
  };
  add(plan->partNumCols, plan->partColIdx, plan->partOperators, plan->partCollations);
  add(plan->ordNumCols, plan->ordColIdx, plan->ordOperators, plan->ordCollations);
  return equals;
}

// Whether frames end with peers: then an aggregate over one is the same for all of these.
bool frames_hold_peers(const WindowAgg* plan) {
  constexpr int kOthers = FRAMEOPTION_ROWS | FRAMEOPTION_GROUPS | FRAMEOPTION_EXCLUSION;
  return (plan->frameOptions & kOthers) == 0;
}

struct Functions {
  const Problem* problem;
  bool needs_order;
  bool frames_hold_peers;
  bool gives_any_form;  // whether one of them gives one of equal values
};

bool find_functions(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* functions = static_cast<Functions*>(context);
  if (!IsA(node, WindowFunc)) return walk_expression(node, find_functions, context);
  const auto* call = reinterpret_cast<const WindowFunc*>(node);
  if (!depends_on_partition_alone(call->winfnoid)) functions->problem = &kWindowFunction;
  const bool of_peers = is_same_for_peers(call) ||
                        (functions->frames_hold_peers && depends_on_group_alone(call->winfnoid));
  functions->needs_order |= !of_peers;
  functions->gives_any_form |= gives_an_argument(call->winfnoid);
  return walk_expression(node, find_functions, context);
}

List* values_of_order(const Rows& below, const WindowAgg* plan) {
  List* values = NIL;
  for (int i = 0; i < plan->ordNumCols; ++i) {
    const ColumnFacts* column = column_at(below, plan->ordColIdx[i]);
    List* families = get_mergejoin_opfamilies(plan->ordOperators[i]);
    if (column == nullptr || families == NIL) return NIL;
    auto* value = static_cast<UniqueSet::Column*>(palloc(sizeof(UniqueSet::Column)));
    *value = {column->id, linitial_oid(families)};
    if (!is_equality_of(value->family, plan->ordOperators[i], plan->ordCollations[i])) return NIL;
    values = lappend(values, value);
  }
  return values;
}

ColumnFacts rank_of(const WindowFunc* call, const Rows& below, const WindowAgg* plan) {
  ColumnFacts facts;
  if (call->winfnoid == F_ROW_NUMBER) facts.rank = Rank::kRow;
  if (call->winfnoid == F_DENSE_RANK_) {
    facts.ranked = values_of_order(below, plan);
    if (facts.ranked != NIL) facts.rank = Rank::kDense;
  }
  return facts;
}

// Conditions over the node's own functions, by which it leaves rows out itself.
void apply_run_conditions(UnitWalk& walk, const Rows& below, const WindowAgg* plan, Rows* rows) {
  ListCell* cell;
  foreach (cell, conditions_on_windows(plan)) {
    const auto* condition = static_cast<const OpExpr*>(lfirst(cell));
    if (!IsA(condition, OpExpr) || list_length(condition->args) != 2) continue;
    ListCell* inner;
    foreach (inner, condition->args) {
      auto* argument = static_cast<Node*>(lfirst(inner));
      if (!IsA(argument, WindowFunc)) continue;
      ColumnFacts rank = rank_of(reinterpret_cast<const WindowFunc*>(argument), below, plan);
      if (rank.rank == Rank::kNone) continue;
      rank.ranks = apply_limit(walk, condition, argument, rank, rows);
      ListCell* target;
      foreach (target, plan->plan.targetlist) {
        const auto* entry = static_cast<const TargetEntry*>(lfirst(target));
        if (equal(entry->expr, argument)) rows->columns[entry->resno - 1].ranks = rank.ranks;
      }
    }
  }
}

}  // namespace

Rows rows_of_windows(UnitWalk& walk, PlanState* node) {
  const auto* plan = reinterpret_cast<const WindowAgg*>(node->plan);
  const Rows below = walk.rows_of(outerPlanState(node));
  if (below.problem != nullptr) return below;
  Functions functions{nullptr, false, frames_hold_peers(plan), false};
  (void)find_functions(reinterpret_cast<Node*>(plan->plan.targetlist), &functions);
  if (functions.problem != nullptr) return rows_with_problem(functions.problem);
  if (plan->startOffset != nullptr || plan->endOffset != nullptr) {
    return rows_with_problem(&kFrame);
  }
  const Comparison parts{plan->partNumCols, plan->partColIdx, plan->partOperators,
                         plan->partCollations};
  const Comparison order{plan->ordNumCols, plan->ordColIdx, plan->ordOperators,
                         plan->ordCollations};
  const Plan* child = outerPlan(plan);
  if (tells_forms(child, below, parts) || tells_forms(child, below, order)) {
    return rows_with_problem(&kFormShown);
  }
  const Partition partition = partition_of(below, plan);
  const bool are_ordered = covers_unique(below, equals_of(below, plan), false);
  Rows rows = below;
  rows.slices = NIL;
  rows.has_public_groups = false;
  rows.is_lateral |= !bms_is_empty(walk.given_to(&plan->plan));
  give_columns(walk, node, {&below, nullptr, nullptr, are_ordered}, &rows);
  if (below.is_fixed && !are_ordered) {
    rows.is_settled &= !functions.needs_order && !functions.gives_any_form;
  }
  if (below.is_fixed || rows.problem != nullptr) return rows;
  if (!partition.any || below.has_absent) return rows_with_problem(&kMixedPartitions);
  if (functions.needs_order && !are_ordered) return rows_with_problem(&kPeers);
  // over the functions of nodes below, whose own conditions only stop counting
  apply_limits(walk, plan->plan.qual, {&below, nullptr}, &rows);
  if (!partition.of_unit) return rows;
  ListCell* cell;
  foreach (cell, plan->plan.targetlist) {
    const auto* target = static_cast<const TargetEntry*>(lfirst(cell));
    if (!IsA(target->expr, WindowFunc)) continue;
    const ColumnFacts rank =
        rank_of(reinterpret_cast<const WindowFunc*>(target->expr), below, plan);
    ColumnFacts& facts = rows.columns[target->resno - 1];
    facts.rank = rank.rank;
    facts.ranked = rank.ranked;
    facts.mass = mass_of_window(reinterpret_cast<const WindowFunc*>(target->expr), rows);
  }
  apply_run_conditions(walk, below, plan, &rows);
  return rows;
}

}  // namespace idp
