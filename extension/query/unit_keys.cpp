#include "extension/query/unit_keys.h"

#include <algorithm>

#include "extension/pg/keys.h"
#include "extension/plan/group_functions.h"

extern "C" {
#include "access/transam.h"
#include "utils/fmgroids.h"
}

namespace idp {

const Problem kMixedGroups = {
    "another aggregate, or DISTINCT",
    "Apply the private aggregate to the table, or to groups of one unit each: GROUP BY its key; "
    "dp_count_distinct counts different values.",
    "group by the key of a unit, or use dp_count_distinct"};
const Problem kGroupFunction = {
    "an aggregate whose value may depend on more than the rows of its group",
    "Use count, min, max, bool_and, bool_or, and over integers or numeric sum, avg, variance and "
    "stddev: sum(x::numeric(12,2)).",
    "use count, min, max, or sum(x::numeric(12,2))"};
const Problem kUserAggregate = {"an aggregate that is not the server's own",
                                "Use the aggregates of the server.", "use the server's"};
const Problem kFirstOfPeers = {"DISTINCT ON whose ORDER BY leaves open which row comes first",
                               "Add a unique key of the rows to ORDER BY.",
                               "add a unique key to ORDER BY"};
const Problem kAnyRow = {"groups that show a column of any of their rows",
                         "Apply an aggregate such as max to the column.",
                         "apply an aggregate such as max to the column"};
const Problem kAbsent = {
    "rows of an outer join that belong to nobody",
    "Leave them out: FILTER (WHERE … IS NOT NULL), over a column of the protected table.",
    "leave them out with FILTER (WHERE … IS NOT NULL)"};

const Problem kMixedPartitions = {
    "a window function",
    "PARTITION BY the key of the unit, or apply window functions to private answers.",
    "partition by the key of the unit, or apply it to answers"};
const Problem kWindowFunction = {
    "a window function whose value may depend on more than its partition",
    "Use row_number, rank, dense_rank, lag, lead, first_value, last_value and the aggregates that "
    "are allowed in GROUP BY.",
    "use row_number, rank or lag"};
const Problem kPeers = {"a window function whose ORDER BY leaves the order of rows open",
                        "Add a unique key of the rows to ORDER BY.",
                        "add a unique key to ORDER BY"};
const Problem kFrame = {"a window frame with an offset", "Use the whole partition as frame.",
                        "use the whole partition"};

namespace {

// Which keys are among the columns: any, so that rows that agree on them are of one unit; and that
// of the unit, so that all rows of it agree.
struct Held {
  bool any;
  bool unit;
};
Held keys_held(const Keys& keys) {
  Held held{false, false};
  for (int i = 0; i < keys.count; ++i) {
    const ColumnFacts* column = keys.columns[i];
    if (column == nullptr || column->key == nullptr) continue;
    if (!is_equality_of(column->key->family, keys.operators[i], keys.collations[i])) {
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
bool are_of_unit(const Keys& keys, const List* limited) {
  for (int i = 0; i < keys.count; ++i) {
    const ColumnFacts* column = keys.columns[i];
    if (column == nullptr) return false;
    if (!agrees_within_unit(*column, keys.operators[i], keys.collations[i]) &&
        !is_limited(*column, keys.operators[i], keys.collations[i], limited)) {
      return false;
    }
  }
  return true;
}

Multiplicity groups_of_unit(const Rows& below, const Keys& keys, bool holds_unit) {
  Multiplicity most = below.most;
  if (!holds_unit) return most;
  if (are_of_unit(keys, NIL)) most = std::min(most, Multiplicity::of(1));
  ListCell* cell;
  foreach (cell, below.limits) {
    const auto* limit = static_cast<const DistinctLimit*>(lfirst(cell));
    if (are_of_unit(keys, limit->columns)) most = std::min(most, limit->most);
  }
  return most;
}

Oid family_of(Oid op) {
  List* families = get_mergejoin_opfamilies(op);
  return families == NIL ? InvalidOid : linitial_oid(families);
}

// No two groups agree on all columns. NULL is a group as well.
UniqueSet* set_of_groups(const Keys& keys, Bitmapset* given) {
  auto* set = static_cast<UniqueSet*>(palloc0(sizeof(UniqueSet)));
  set->without_nulls = true;
  set->given = given;
  for (int i = 0; i < keys.count; ++i) {
    const ColumnFacts* facts = keys.columns[i];
    auto* column = static_cast<UniqueSet::Column*>(palloc(sizeof(UniqueSet::Column)));
    *column = {facts == nullptr ? 0 : facts->id, family_of(keys.operators[i]), 0};
    set->columns = lappend(set->columns, column);
  }
  return set;
}

// Of equal values a group shows the first to come.
bool are_of_one_form(const Keys& keys) {
  for (int i = 0; i < keys.count; ++i) {
    const ColumnFacts* column = keys.columns[i];
    if (column == nullptr || !column->has_one_form) return false;
  }
  return true;
}

// Whether all rows of a group have one row of a table there: its key is among the columns.
bool is_of_one_row(const UnitFacts& walk, const Keys& keys, int scan) {
  const auto is_grouped = [&](const KeyPart& part) {
    for (int i = 0; i < keys.count; ++i) {
      const ColumnFacts* column = keys.columns[i];
      if (column != nullptr && column->scan == scan && column->attribute == part.column &&
          is_equality_of(part.family, keys.operators[i], keys.collations[i])) {
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

// Whether rows that agree on the columns have one row of a table there, and that tells whose they
// are. It is the same row, so each of its columns is the same in all of them: also one that holds a
// key. That column has none where NULL may stand in place of the row.
bool tell_row_of_unit(const UnitFacts& walk, const Rows& below, const Keys& keys) {
  return std::any_of(below.columns, below.columns + below.count, [&](const ColumnFacts& column) {
    return column.key != nullptr && is_of_one_row(walk, keys, column.scan);
  });
}

}  // namespace

Rows groups_of(const UnitFacts& walk, const Rows& below, const Keys& keys, Bitmapset* given) {
  Rows rows;
  const Held held = keys_held(keys);
  if (!below.is_fixed && !held.any && !tell_row_of_unit(walk, below, keys)) {
    return rows_with_problem(&kMixedGroups);
  }
  rows.is_fixed = below.is_fixed;
  rows.is_lateral = below.is_lateral || !bms_is_empty(given);
  rows.is_settled = below.is_settled && (!below.is_fixed || are_of_one_form(keys));
  rows.unique = list_make1(set_of_groups(keys, given));
  if (!below.is_fixed) rows.most = groups_of_unit(below, keys, held.unit);
  if (!rows.most.is_bounded()) rows.unbounded = below.unbounded;
  return rows;
}

// The columns of the rows below, in the one that a group shows. What it is grouped by is one of
// values that are equal; all else, which the planner takes to follow from that, has to be the same
// in all rows of the group. Fixed rows come in the same order for all neighbours.
Rows shown_by_groups(UnitFacts& walk, const Rows& below, const Keys& keys) {
  Rows shown = after(walk, below, {false, false});
  if (below.is_fixed) return shown;
  for (int i = 0; i < shown.count; ++i) {
    ColumnFacts& facts = shown.columns[i];
    const bool is_grouped = std::any_of(
        keys.columns, keys.columns + keys.count,
        [&](const ColumnFacts* column) { return column != nullptr && column->id == facts.id; });
    facts.is_open = !is_grouped && !facts.of_unit && !is_of_one_row(walk, keys, facts.scan);
    facts.is_of_any_form |= is_grouped && !facts.of_unit && !facts.has_one_form;
  }
  return shown;
}

const Problem* problem_of_function(const Aggref* aggref, bool is_fixed) {
  if (is_fixed) return aggref->aggfnoid >= FirstGenbkiObjectId ? &kUserAggregate : nullptr;
  return depends_on_group_alone(aggref->aggfnoid) ? nullptr : &kGroupFunction;
}

bool is_settled_in_groups(const UnitFacts& walk, const Aggref* aggref, const Inputs& below) {
  if (!depends_on_group_alone(aggref->aggfnoid)) return false;
  if (aggref->aggdistinct == NIL && !gives_an_argument(aggref->aggfnoid)) return true;
  ListCell* cell;
  foreach (cell, aggref->args) {
    const auto* argument = static_cast<const TargetEntry*>(lfirst(cell));
    if (!has_one_form(walk, reinterpret_cast<const Node*>(argument->expr), below)) return false;
  }
  return true;
}

List* equalities_by(const Keys& order) {
  List* equals = NIL;
  for (int i = 0; i < order.count; ++i) {
    if (order.columns[i] == nullptr) continue;
    const Oid equality = get_equality_op_for_ordering_op(order.operators[i], nullptr);
    auto* equal = static_cast<Equal*>(palloc(sizeof(Equal)));
    *equal = {order.columns[i]->id, OidIsValid(equality) ? equality : order.operators[i],
              order.collations[i]};
    equals = lappend(equals, equal);
  }
  return equals;
}

// Whether equal values would look alike is what counts: different ones are told apart by their
// form.
bool is_one_value(const ColumnFacts& facts) {
  return facts.of_unit || (facts.key != nullptr && facts.key->is_unit && facts.has_one_form);
}

Partition partition_of(const Keys& parts) {
  Partition partition{false, true};
  bool holds_unit = false;
  for (int i = 0; i < parts.count; ++i) {
    const ColumnFacts* column = parts.columns[i];
    if (column == nullptr) return {false, false};
    partition.of_unit &= agrees_within_unit(*column, parts.operators[i], parts.collations[i]);
    if (column->key == nullptr ||
        !is_equality_of(column->key->family, parts.operators[i], parts.collations[i])) {
      continue;
    }
    partition.any = true;
    holds_unit |= column->key->is_unit;
  }
  partition.of_unit &= holds_unit;
  return partition;
}

bool frames_hold_peers(int frame_options) {
  constexpr int kOthers = FRAMEOPTION_ROWS | FRAMEOPTION_GROUPS | FRAMEOPTION_EXCLUSION;
  return (frame_options & kOthers) == 0;
}

namespace {

bool find_functions(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* functions = static_cast<WindowFunctions*>(context);
  if (!IsA(node, WindowFunc)) return walk_expression(node, find_functions, context);
  const auto* call = reinterpret_cast<const WindowFunc*>(node);
  if (functions->window != 0 && call->winref != functions->window) return false;
  if (!depends_on_partition_alone(call->winfnoid)) functions->problem = &kWindowFunction;
  const bool of_peers = is_same_for_peers(call) ||
                        (functions->frames_hold_peers && depends_on_group_alone(call->winfnoid));
  functions->needs_order |= !of_peers;
  functions->gives_any_form |= gives_an_argument(call->winfnoid);
  return walk_expression(node, find_functions, context);
}

List* values_of_order(const Keys& order) {
  List* values = NIL;
  for (int i = 0; i < order.count; ++i) {
    const ColumnFacts* column = order.columns[i];
    List* families = get_mergejoin_opfamilies(order.operators[i]);
    if (column == nullptr || families == NIL) return NIL;
    auto* value = static_cast<UniqueSet::Column*>(palloc(sizeof(UniqueSet::Column)));
    *value = {column->id, linitial_oid(families), 0};
    if (!is_equality_of(value->family, order.operators[i], order.collations[i])) return NIL;
    values = lappend(values, value);
  }
  return values;
}

}  // namespace

void add_functions(Node* expression, WindowFunctions* functions) {
  (void)find_functions(expression, functions);
}

ColumnFacts rank_of(const WindowFunc* call, const Keys& order) {
  ColumnFacts facts;
  if (call->winfnoid == F_ROW_NUMBER) facts.rank = Rank::kRow;
  if (call->winfnoid == F_DENSE_RANK_) {
    facts.ranked = values_of_order(order);
    if (facts.ranked != NIL) facts.rank = Rank::kDense;
  }
  return facts;
}

}  // namespace idp
