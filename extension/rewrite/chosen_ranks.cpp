#include "extension/rewrite/chosen_ranks.h"

#include <initializer_list>

#include "extension/pg/catalog_lookup.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/pg/outer_joins.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/used_columns.h"
#include "extension/rewrite/given_rows.h"
#include "extension/rewrite/unit_column.h"

extern "C" {
#include "access/stratnum.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

// Whether all rows of a unit are in one partition, and no others: it is made by the key of the
// unit, and maybe by columns of the unit's own row.
bool has_units_for_partitions(const QueryLevel& level, const WindowFunc* call) {
  const auto* window =
      static_cast<const WindowClause*>(list_nth(level.query->windowClause, call->winref - 1));
  bool holds_unit = false;
  for (auto* clause : list<SortGroupClause>(window->partitionClause)) {
    const Node* value = get_sortgroupclause_expr(clause, level.query->targetList);
    if (is_unit(level, value)) {
      holds_unit = true;
      continue;
    }
    const TableColumn origin = origin_of(level, value);
    if (!OidIsValid(origin.table) || !is_unit_table(origin.table)) return false;
  }
  return holds_unit;
}

struct Search {
  const QueryLevel& level;  // that reads the entry
  RangeTblEntry* entry;
  Index number;  // of the entry
};

// Whether a column numbers the rows of each unit. dense_rank() gives a number to several of them,
// which groups by the order make one.
bool is_rank(const Search& search, const Node* value) {
  const auto* column = maybe<Var>(value);
  if (column == nullptr || column->varlevelsup > 0 || column->varattno <= 0 ||
      static_cast<Index>(column->varno) != search.number) {
    return false;
  }
  const TargetEntry* target = column_shown(search.entry->subquery->targetList, column->varattno);
  const auto* call = target == nullptr ? nullptr : maybe<WindowFunc>(as<Node>(target->expr));
  if (call == nullptr) return false;
  const bool is_number = call->winfnoid == F_ROW_NUMBER ||
                         (call->winfnoid == F_DENSE_RANK_ && groups_by_unit(search.level));
  return is_number && has_units_for_partitions({search.entry->subquery, &search.level}, call);
}

// rank < c, rank <= c, rank = c, or the other way round.
bool is_bound(const Search& search, const Node* condition) {
  const auto* comparison = as<OpExpr>(condition);
  if (!IsA(condition, OpExpr) || list_length(comparison->args) != 2) return false;
  auto* first = static_cast<Node*>(linitial(comparison->args));
  auto* second = static_cast<Node*>(lsecond(comparison->args));
  for (const bool is_first : {true, false}) {
    if (!is_rank(search, is_first ? first : second)) continue;
    if (!is_same_for_all_rows(is_first ? second : first)) continue;
    const Oid op = is_first ? comparison->opno : get_commutator(comparison->opno);
    const int strategy = OidIsValid(op) ? order_strategy(op, INT8OID) : 0;
    if (strategy == BTLessStrategyNumber || strategy == BTLessEqualStrategyNumber ||
        strategy == BTEqualStrategyNumber) {
      return true;
    }
  }
  return false;
}

bool any_is_bound(const Search& search, Node* conditions) {
  for (const auto* condition : list<Node>(conjuncts(conditions))) {
    if (is_bound(search, condition)) return true;
  }
  return false;
}

// Whether one of the conditions that all rows of the entry fulfil, where a part of FROM gives them.
bool is_bounded(const Search& search, const Node* from) {
  check_stack_depth();
  if (!holds(from, search.number) || IsA(from, RangeTblRef)) return false;
  if (IsA(from, JoinExpr)) {
    const auto* join = as<JoinExpr>(from);
    const Node* side = holds(join->larg, search.number) ? join->larg : join->rarg;
    const bool chooses =
        join->jointype == JOIN_INNER || (join->jointype != JOIN_FULL && may_lack(join, side));
    return (chooses && any_is_bound(search, join->quals)) || is_bounded(search, side);
  }
  if (any_is_bound(search, as<FromExpr>(from)->quals)) return true;
  for (const auto* part : list<Node>(as<FromExpr>(from)->fromlist)) {
    if (is_bounded(search, part)) return true;
  }
  return false;
}

}  // namespace

bool bounds_by_rank(const QueryLevel& level, RangeTblEntry* entry) {
  if (!entry->subquery->hasWindowFuncs) return false;
  ListCell* cell;
  foreach (cell, level.query->rtable) {
    if (lfirst(cell) != entry) continue;
    const auto number = static_cast<Index>(foreach_current_index(cell) + 1);
    return is_bounded({level, entry, number}, as<Node>(level.query->jointree));
  }
  return false;
}

}  // namespace idp
