#include "extension/rewrite/counted_keys.h"

#include "extension/domain/domain.h"
#include "extension/pg/fold.h"
#include "extension/pg/groups.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/number_types.h"
#include "extension/domain/pinned_keys.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/group_functions.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/rewrite/bounded_rows.h"
#include "extension/rewrite/given_rows.h"
#include "extension/rewrite/unit_column.h"
#include "extension/rewrite/unit_ranges.h"

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

// --- bins of what each unit adds up to ---

bool find_no_arithmetic(Node* node, void*) {
  if (node == nullptr || IsA(node, Aggref)) return false;
  const bool is_known = IsA(node, Var) || IsA(node, Const) || IsA(node, FuncExpr) ||
                        IsA(node, OpExpr) || IsA(node, RelabelType);
  return !is_known || walk_expression(node, find_no_arithmetic, nullptr);
}

// A key such as floor(total / 100) * 100: without CASE and its like, which tell values apart that
// are beyond all bounds.
bool is_bin(const Node* key) {
  return !IsA(key, Var) && !IsA(key, Aggref) && is_number(exprType(key)) &&
         !find_no_arithmetic(const_cast<Node*>(key), nullptr);
}

// Between which numbers everybody may know what is computed of the rows of a unit to be.
std::optional<Range> range_of_unit(const QueryLevel& level, Node* value) {
  if (!is_number(exprType(value))) return std::nullopt;
  auto range = range_of_extreme(level, value);
  return range ? range : range_of_total(level, value);
}

// level: the QueryLevel of the expression.
Node* within_range(Node* node, void* level) {
  if (node == nullptr) return nullptr;
  const bool is_column = IsA(node, Var) && as<Var>(node)->varlevelsup == 0;
  if (!is_column && !IsA(node, Aggref)) return map_expression(node, within_range, level);
  const auto range = range_of_unit(*static_cast<const QueryLevel*>(level), node);
  if (!range) return node;
  Node* bounded = between(node, as<Node>(range->lower), as<Node>(range->upper));
  return where(null_test(node, IS_NOT_NULL), bounded);
}

struct Bins {
  QueryLevel* level;
  List* keys = NIL;  // of Node
};

Node* with_bounded_bins(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query) || IsA(node, Aggref)) return node;
  const auto* bins = static_cast<const Bins*>(context);
  if (list_member(bins->keys, node)) return within_range(node, bins->level);
  return map_expression(node, with_bounded_bins, context);
}

// Whole numbers that are few enough to be keys.
bool are_keys(const std::optional<Range>& range) {
  if (!range || !is_whole_number(range->lower->consttype)) return false;
  const auto whole = [](Const* number) {
    Node* value = folded(cast_to(as<Node>(number), INT8OID, COERCE_EXPLICIT_CAST));
    return DatumGetInt64(as<Const>(value)->constvalue);
  };
  return whole(range->upper) / 2 - whole(range->lower) / 2 < kMostKeys / 2;
}

// floor(sum(amount) / 100) that a subquery shows, or a sum of few whole numbers.
void bound_bins_below(const QueryLevel& level, const Var* column) {
  check_stack_depth();
  if (column->varlevelsup > 0 || column->varattno <= 0) return;
  const RangeTblEntry* entry = rt_fetch(column->varno, level.query->rtable);
  if (entry->rtekind != RTE_SUBQUERY || entry->subquery->setOperations != nullptr) return;
  QueryLevel below{entry->subquery, &level};
  TargetEntry* target = column_shown(entry->subquery->targetList, column->varattno);
  if (target == nullptr || target->ressortgroupref != 0) return;
  auto* value = as<Node>(target->expr);
  if (IsA(value, Var)) return bound_bins_below(below, as<Var>(value));
  const bool is_few = IsA(value, Aggref) && are_keys(range_of_unit(below, value));
  if (is_few || is_bin(value)) target->expr = as<Expr>(within_range(value, &below));
}

void bound_bins(const QueryLevel& level) {
  QueryLevel own = level;
  Bins bins{&own};
  for (auto* key : list<Node>(grouped_expressions(level.query))) {
    if (IsA(key, Var)) bound_bins_below(level, as<Var>(key));
    if (is_bin(key)) bins.keys = lappend(bins.keys, key);
  }
  if (bins.keys == NIL) return;
  const auto change = [&](Node* node) { return with_bounded_bins(node, &bins); };
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
  bound_bins(level);
}

}  // namespace idp
