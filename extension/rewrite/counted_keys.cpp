#include "extension/rewrite/counted_keys.h"

#include "extension/pg/groups.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/plan/group_functions.h"
#include "extension/plan/used_columns.h"
#include "extension/rewrite/bounded_rows.h"
#include "extension/rewrite/given_rows.h"

extern "C" {
#include "parser/parsetree.h"
}

namespace idp {

namespace {

// most: of int64, so many rows.
Node* bounded(Node* node, void* most) {
  if (node == nullptr || IsA(node, Query)) return node;
  if (!IsA(node, Aggref)) return map_expression(node, bounded, most);
  const auto* call = as<Aggref>(node);
  if (!is_count(call->aggfnoid) || call->agglevelsup > 0) return node;
  return end_of(IS_LEAST, node, bigint(*static_cast<int64*>(most)));
}

void bound_column(const QueryLevel& level, const Var* column) {
  check_stack_depth();
  if (column->varlevelsup > 0 || column->varattno <= 0) return;
  const RangeTblEntry* entry = rt_fetch(column->varno, level.query->rtable);
  if (entry->rtekind != RTE_SUBQUERY || entry->subquery->setOperations != nullptr) return;
  const QueryLevel below{entry->subquery, &level};
  TargetEntry* target = get_tle_by_resno(entry->subquery->targetList, column->varattno);
  if (target == nullptr || target->ressortgroupref != 0) return;
  if (IsA(target->expr, Var)) return bound_column(below, as<Var>(target->expr));
  if (!entry->subquery->hasAggs || !groups_by_unit(below)) return;
  const List* rows = list_make1(entry->subquery);
  int64 most = may_repeat_rows(rows) ? 0 : most_rows(rows);
  if (most > 0) target->expr = as<Expr>(bounded(as<Node>(target->expr), &most));
}

}  // namespace

void bound_counted_keys(const QueryLevel& level) {
  UsedColumns used{entry_of_groups(level.query)};
  add_used_columns(&used, as<Node>(grouped_expressions(level.query)));
  if (!used.is_plain) return;
  for (const auto* column : list<Var>(used.columns)) bound_column(level, column);
}

}  // namespace idp
