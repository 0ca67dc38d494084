#include "extension/rewrite/counted_keys.h"

#include "extension/pg/groups.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/domain/pinned_keys.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/group_functions.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/rewrite/bounded_rows.h"
#include "extension/rewrite/given_rows.h"
#include "extension/rewrite/unit_column.h"

extern "C" {
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
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
  TargetEntry* target = column_shown(entry->subquery->targetList, column->varattno);
  if (target == nullptr || target->ressortgroupref != 0) return;
  if (IsA(target->expr, Var)) return bound_column(below, as<Var>(target->expr));
  if (!entry->subquery->hasAggs || !groups_by_unit(below)) return;
  const List* rows = list_make1(entry->subquery);
  int64 most = may_repeat_rows(rows) ? 0 : most_rows(rows);
  if (most > 0) target->expr = as<Expr>(bounded(as<Node>(target->expr), &most));
}

// --- ranks ---

// Up to which number a column counts rows of each unit; 0 if it does something else.
int64 most_rank(const QueryLevel& level, const Var* column) {
  if (column->varlevelsup > 0 || column->varattno <= 0) return 0;
  const RangeTblEntry* entry = rt_fetch(column->varno, level.query->rtable);
  Query* rows = nullptr;
  const WindowFunc* rank = rank_shown(entry, column->varattno, &rows);
  if (rank == nullptr || rows != entry->subquery) return 0;
  const QueryLevel below{rows, &level};
  const auto* window = static_cast<const WindowClause*>(
      list_nth(rows->windowClause, static_cast<int>(rank->winref) - 1));
  bool is_of_unit = false;
  for (auto* clause : list<SortGroupClause>(window->partitionClause)) {
    is_of_unit |= is_unit(below, get_sortgroupclause_expr(clause, rows->targetList));
  }
  const List* readers = list_make1(rows);
  return is_of_unit && !may_repeat_rows(readers) ? most_rows(readers) : 0;
}

struct Ranks {
  const QueryLevel* level;
  const List* columns;  // of Var
};

// Keys, and what is made of them; what is aggregated stays.
Node* with_bounded_ranks(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query) || IsA(node, Aggref)) return node;
  if (!IsA(node, Var)) return map_expression(node, with_bounded_ranks, context);
  const auto* ranks = static_cast<const Ranks*>(context);
  const auto* column = as<Var>(node);
  if (!list_member(ranks->columns, column)) return node;
  return end_of(IS_LEAST, node, bigint(most_rank(*ranks->level, column)));
}

// What conditions say of a rank bounds it, too (domain/pinned_keys.h).
void bound_ranks(const QueryLevel& level, const List* columns) {
  List* asked = pull_vars_of_level(as<Node>(level.query->jointree), 0);
  List* ranks = NIL;
  for (auto* column : list<Var>(columns)) {
    if (!list_member(asked, column) && most_rank(level, column) > 0) ranks = lappend(ranks, column);
  }
  if (ranks == NIL) return;
  Ranks bounded{&level, ranks};
  const auto change = [&](Node* node) { return with_bounded_ranks(node, &bounded); };
  change_shown(level.query, change);
  change_grouped(level.query, change);
}

}  // namespace

void bound_counted_keys(const QueryLevel& level) {
  UsedColumns used{entry_of_groups(level.query)};
  add_used_columns(&used, as<Node>(grouped_expressions(level.query)));
  if (!used.is_plain) return;
  for (const auto* column : list<Var>(used.columns)) bound_column(level, column);
  bound_ranks(level, used.columns);
}

}  // namespace idp
