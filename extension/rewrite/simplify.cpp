#include "extension/rewrite/simplify.h"

#include "extension/pg/groups.h"
#include "extension/pg/outer_joins.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/statement_room.h"
#include "extension/rewrite/answers_of_days.h"
#include "extension/rewrite/children_of_groups.h"
#include "extension/rewrite/children_of_rows.h"
#include "extension/rewrite/counted_units.h"
#include "extension/rewrite/cell_comparisons.h"
#include "extension/rewrite/compared_answers.h"
#include "extension/rewrite/constant_choices.h"
#include "extension/rewrite/constant_keys.h"
#include "extension/rewrite/counted_limits.h"
#include "extension/rewrite/dependent_columns.h"
#include "extension/rewrite/distinct_groups.h"
#include "extension/rewrite/existence.h"
#include "extension/rewrite/first_rows.h"
#include "extension/rewrite/joined_subqueries.h"
#include "extension/rewrite/labelled_parts.h"
#include "extension/rewrite/listed_rows.h"
#include "extension/rewrite/lateral_answers.h"
#include "extension/rewrite/joins_of_public.h"
#include "extension/rewrite/key_conditions.h"
#include "extension/rewrite/looked_up_values.h"
#include "extension/rewrite/offsets.h"
#include "extension/rewrite/other_choices.h"
#include "extension/rewrite/own_rows.h"
#include "extension/rewrite/plain_calls.h"
#include "extension/rewrite/plain_columns.h"
#include "extension/rewrite/row_keys.h"
#include "extension/rewrite/rows_after_first.h"
#include "extension/rewrite/rows_of_keys.h"
#include "extension/rewrite/same_rows.h"
#include "extension/rewrite/set_operations.h"
#include "extension/rewrite/symmetric_sums.h"
#include "extension/rewrite/window_orders.h"
#include "extension/rewrite/united_totals.h"
#include "extension/rewrite/windows_of_all.h"
#include "extension/rewrite/windows_of_rows.h"
#include "extension/rewrite/windows_over_groups.h"

#include "extension/plan/new_query.h"
#include "extension/domain/public_table.h"
#include "extension/domain/pull_up.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/fold.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

// --- limits that leave nothing out ---

// Whether a count, once its constants are evaluated, is NULL or 0.
bool leaves_all(Node* count, bool is_offset) {
  if (count == nullptr || contain_mutable_functions(count)) return false;
  const auto* constant = maybe<Const>(folded(count));
  if (constant == nullptr) return false;
  return constant->constisnull ||
         (is_offset && constant->consttype == INT8OID && DatumGetInt64(constant->constvalue) == 0);
}

void drop_limits_of(Query* query) {
  if (query->limitOption == LIMIT_OPTION_WITH_TIES) return;
  if (leaves_all(query->limitOffset, true)) query->limitOffset = nullptr;
  if (leaves_all(query->limitCount, false)) query->limitCount = nullptr;
}

bool drop_limits(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, drop_limits, nullptr);
  drop_limits_of(as<Query>(node));
  return walk_queries(as<Query>(node), drop_limits, nullptr);
}

// --- subqueries that read nothing ---

// One row of expressions, and nothing else but what it may read.
bool is_row_of(const Query* query) {
  return takes_only(query, step::kSubLinks) && query->jointree->quals == nullptr;
}

// The row of expressions that a query reads, as WITH limits AS (SELECT …) is one; null if it reads
// something else.
const RangeTblEntry* only_row(const Query* query) {
  const int number = only_entry(query);
  if (number == 0) return nullptr;
  const RangeTblEntry* entry = rt_fetch(number, query->rtable);
  if (entry->rtekind != RTE_SUBQUERY || entry->lateral) return nullptr;
  auto* row = entry->subquery;
  const bool is_row = is_row_of(row) && row->jointree->fromlist == NIL &&
                      !contain_volatile_functions(as<Node>(row->targetList));
  return is_row ? entry : nullptr;
}

// What a column of such a row is, or ROW(…) of all, as seen by the query that reads it.
Node* value_of_row(const RangeTblEntry* row, const Var* column) {
  if (column->varattno < 0) return nullptr;
  Node* value = nullptr;
  if (column->varattno == 0) {
    auto* whole = makeNode(RowExpr);
    for (const auto* target : list<TargetEntry>(row->subquery->targetList)) {
      if (!target->resjunk) whole->args = lappend(whole->args, copyObjectImpl(target->expr));
    }
    whole->row_typeid = column->vartype;
    whole->colnames = static_cast<List*>(copyObjectImpl(row->eref->colnames));
    whole->row_format = COERCE_IMPLICIT_CAST;
    whole->location = -1;
    value = as<Node>(whole);
  } else {
    const TargetEntry* target = column_shown(row->subquery->targetList, column->varattno);
    if (target == nullptr) return nullptr;
    value = static_cast<Node*>(copyObjectImpl(target->expr));
  }
  IncrementVarSublevelsUp(value, -1, 1);
  return value;
}

// What (SELECT expression) gives; null if there is more to it.
Node* only_expression(const SubLink* link) {
  if (link->subLinkType != EXPR_SUBLINK) return nullptr;
  const auto* query = as<Query>(link->subselect);
  if (!is_row_of(query) || list_length(query->targetList) != 1) return nullptr;
  auto* expression = as<Node>(static_cast<const TargetEntry*>(linitial(query->targetList))->expr);
  if (query->jointree->fromlist != NIL) {
    const RangeTblEntry* row = only_row(query);
    const auto* column = maybe<Var>(expression);
    if (row == nullptr || column == nullptr || column->varlevelsup > 0) return nullptr;
    expression = value_of_row(row, column);
    if (expression == nullptr) return nullptr;
  }
  return contain_volatile_functions(expression) ? nullptr : expression;
}

Node* without_empty_subqueries(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  if (IsA(node, SubLink)) {
    Node* expression = only_expression(as<SubLink>(node));
    if (expression != nullptr) {
      auto* copy = static_cast<Node*>(copyObjectImpl(expression));
      IncrementVarSublevelsUp(copy, -1, 1);
      return without_empty_subqueries(copy, context);
    }
  }
  return map_expression(node, without_empty_subqueries, context);
}

void drop_empty_subqueries(Query* query) {
  if (!query->hasSubLinks) return;
  change_shown(query, [&](Node* shown) { return without_empty_subqueries(shown, nullptr); });
  query->jointree = as<FromExpr>(without_empty_subqueries(as<Node>(query->jointree), nullptr));
  query->hasSubLinks = checkExprHasSubLink(as<Node>(query));
}

// --- single values ---

// SELECT id FROM regions WHERE name = 'north'. Where there are two of them, the statement would
// fail, if a hidden row is compared with it; their list means what one of them would.
bool may_give_one_public_row(const Query* query) {
  return query->commandType == CMD_SELECT && query->setOperations == nullptr &&
         query->cteList == NIL && query->groupClause == NIL && query->groupingSets == NIL &&
         query->limitCount == nullptr && !query->hasTargetSRFs && !reads_hidden_table(query) &&
         query->rowMarks == NIL && query->jointree->quals != nullptr;
}

// That of the type's own operators.
bool is_equality(const OpExpr* comparison) {
  const Oid type = exprType(static_cast<const Node*>(linitial(comparison->args)));
  return comparison->opno == lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
}

struct Single {
  const SubLink* link = nullptr;
  bool is_only = true;  // besides it there are constants alone
};

bool find_single(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* single = static_cast<Single*>(context);
  if (IsA(node, SubLink)) {
    single->is_only = single->is_only && single->link == nullptr;
    single->link = as<SubLink>(node);
    return false;
  }
  if (IsA(node, Var) || IsA(node, Aggref)) single->is_only = false;
  return walk_expression(node, find_single, context);
}

Node* with_value(Node* node, void* value) {
  if (node == nullptr) return nullptr;
  if (IsA(node, SubLink)) return static_cast<Node*>(value);
  return map_expression(node, with_value, value);
}

// What shows an expression over the single value of a subquery.
Query* showing(Node* expression, const SubLink* link) {
  auto* query = copy_of(as<Query>(link->subselect));
  auto* target = static_cast<TargetEntry*>(linitial(query->targetList));
  if (expression != as<Node>(link)) {
    Node* value = with_value(expression, target->expr);
    if (target->ressortgroupref != 0 || contain_volatile_functions(value)) return nullptr;
    target->expr = as<Expr>(value);
  }
  return query;
}

// status = (SELECT status … LIMIT 1), as a condition of rows, is status = ANY (SELECT status …
// LIMIT 1); day > (SELECT max(day) …) - 30 is day > ANY (SELECT max(day) - 30 …).
Node* compared_with_list(Node* condition) {
  const auto* comparison = as<OpExpr>(condition);
  if (!IsA(condition, OpExpr) || list_length(comparison->args) != 2) return condition;
  auto* left = static_cast<Node*>(linitial(comparison->args));
  auto* right = static_cast<Node*>(lsecond(comparison->args));
  Single single;
  (void)find_single(right, &single);
  if (!single.is_only || single.link == nullptr || single.link->subLinkType != EXPR_SUBLINK) {
    return condition;
  }
  const auto* subquery = as<Query>(single.link->subselect);
  const bool has_one =
      gives_one_row(subquery) || (is_equality(comparison) && may_give_one_public_row(subquery));
  // one for each row is joined (joined_subqueries.h)
  if (!has_one || names_outer_columns(const_cast<Query*>(subquery))) return condition;
  Query* query = showing(right, single.link);
  if (query == nullptr) return condition;
  return compared_with_any(comparison, left, query);
}

void compare_with_lists(FromExpr* from) {
  if (from == nullptr || from->quals == nullptr) return;
  List* conditions = NIL;
  for (auto* part : list<Node>(conjuncts(from->quals))) {
    conditions = lappend(conditions, compared_with_list(part));
  }
  from->quals = joined_by_and(conditions);
}

// --- answers that nobody reads ---

struct Reads {
  const Query* query;
  Index entry;
  Index depth = 0;
  Bitmapset* columns = nullptr;  // those of the entry; 0 stands for all
};

bool add_reads(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* reads = static_cast<Reads*>(context);
  if (IsA(node, Var)) {
    const auto* column = as<Var>(node);
    if (column->varlevelsup != reads->depth || column->varno <= 0) return false;
    if (static_cast<Index>(column->varno) == reads->entry) {
      reads->columns = bms_add_member(reads->columns, Max(column->varattno, 0));
      return false;
    }
    const RangeTblEntry* entry = rt_fetch(column->varno, reads->query->rtable);
    if (entry->rtekind != RTE_JOIN) return false;
    Reads at_level{reads->query, reads->entry, 0, reads->columns};
    if (column->varattno <= 0) {
      (void)add_reads(as<Node>(entry->joinaliasvars), &at_level);
    } else {
      (void)add_reads(static_cast<Node*>(list_nth(entry->joinaliasvars, column->varattno - 1)),
                      &at_level);
    }
    reads->columns = at_level.columns;
    return false;
  }
  if (!IsA(node, Query)) return walk_expression(node, add_reads, context);
  ++reads->depth;
  (void)walk_query(as<Query>(node), add_reads, context, QTW_IGNORE_JOINALIASES);
  --reads->depth;
  return false;
}

// Those that a query reads of one of its subqueries.
Bitmapset* columns_read(Query* query, Index entry) {
  Reads reads{query, entry};
  (void)walk_query(query, add_reads, &reads, QTW_IGNORE_JOINALIASES);
  return reads.columns;
}

bool has_aggregate(Node* node) { return contain_aggs_of_level(node, 0); }

void drop_unread_answers(Query* query, const Bitmapset* read) {
  constexpr unsigned kSteps = step::kAggregates | step::kGroups | step::kImpliedGroups |
                              step::kHaving | step::kLimit | step::kOffset | step::kWith |
                              step::kSubLinks;
  const bool is_plain = query->hasAggs && takes_only(query, kSteps) && !bms_is_member(0, read);
  if (!is_plain) return;
  for (auto* target : list<TargetEntry>(query->targetList)) {
    auto* value = as<Node>(target->expr);
    const bool is_read = target->ressortgroupref != 0 || bms_is_member(target->resno, read);
    if (is_read || !has_aggregate(value) || contain_volatile_functions(value)) continue;
    target->expr =
        as<Expr>(makeNullConst(exprType(value), exprTypmod(value), exprCollation(value)));
  }
  if (has_aggregate(as<Node>(query->targetList)) || has_aggregate(query->havingQual)) {
    return;
  }
  query->hasAggs = false;
  if (query->groupClause != NIL) return;
  // one row or none, whatever the rows are
  change_from(query, makeFromExpr(NIL, query->havingQual));
  query->havingQual = nullptr;
}

void drop_unread_answers_in(Query* query) {
  if (query->setOperations != nullptr) return;
  int number = 0;
  for (auto* entry : list<RangeTblEntry>(query->rtable)) {
    ++number;
    if (entry->rtekind != RTE_SUBQUERY || entry->security_barrier) continue;
    drop_unread_answers(entry->subquery, columns_read(query, static_cast<Index>(number)));
  }
}

// --- views ---

// Up to PostgreSQL 15 a view has itself before what it reads, twice, for the rights that it asks
// for. Numbers are told by what is read.
bool put_views_last(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, put_views_last, nullptr);
  auto* query = as<Query>(node);
  const auto* first = query->rtable == NIL ? nullptr : rt_fetch(1, query->rtable);
  const bool is_view = first != nullptr && first->rtekind == RTE_RELATION &&
                       first->relkind == RELKIND_VIEW && query->commandType == CMD_SELECT;
  if (is_view) put_in_order_of_from(query);
  return walk_queries(query, put_views_last, nullptr);
}

// --- subqueries that only give rows ---

void drop_limits_of_rows(const QueryLevel& level);

bool visit_limits(Node* node, void* level) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, visit_limits, level);
  drop_limits_of_rows({as<Query>(node), static_cast<const QueryLevel*>(level)});
  return false;
}

void drop_limits_of_rows(const QueryLevel& level) {
  check_stack_depth();
  count_up_to_limits(level.query);
  require_no_offset(level);
  QueryLevel outer = level;
  (void)walk_queries(level.query, visit_limits, &outer);
}

bool visit_rows(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, visit_rows, nullptr);
  (void)pull_up_rows(as<Query>(node));
  return walk_queries(as<Query>(node), visit_rows, nullptr);
}

// Limits and offsets leave subqueries where they can, and those give rows alone then.
void read_rows_themselves(Query* query) {
  drop_limits_of_rows({query, nullptr});
  (void)visit_rows(as<Node>(query), nullptr);
  if (answer_windows_of_all(query)) (void)visit_rows(as<Node>(query), nullptr);
}

// --- all of them ---

void simplify_level(const QueryLevel& level);

// context: the QueryLevel around it.
bool visit(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, visit, context);
  simplify_level({as<Query>(node), static_cast<const QueryLevel*>(context)});
  return false;
}

void simplify_level(const QueryLevel& level) {
  check_stack_depth();
  Query* query = level.query;
  drop_empty_subqueries(query);
  put_key_conditions_below(query);
  write_all_as_any(query);
  compare_with_constants(query);
  choose_by_other_rows(level);
  group_distinct_rows(query);
  list_parts_of_union(query);
  answer_labelled_parts(query);
  add_up_parts(query);
  answer_listed_rows(query);
  show_lateral_answers(query);
  count_by_days(query);
  answer_beside_listed_rows(query);
  compute_lateral_rows(query);
  join_first_rows(query);
  compare_with_lists(query->jointree);
  use_plain_calls(query);
  look_up_values(query);
  complete_orders(query);
  compare_keys_of_groups(query);
  count_children_once(query);
  count_children_of_groups(level);
  join_subqueries(query);
  drop_unread_answers_in(query);
  join_rows_of_keys(query);
  QueryLevel outer = level;
  (void)walk_queries(query, visit, &outer);
  if (query->commandType != CMD_SELECT) return;
  read_windows_of_rows(query);
  read_rows_once(query);
  read_tables_themselves(query);
  compare_by_cells(level);
  drop_constant_keys(query);
  compare_with_first(query);
  join_hidden_first(level);
  simplify_joins(level);
  drop_groups_of_one_row(level);
  count_rows_by_keys(level);
  sum_rows_by_keys(query);
  group_by_dependent_columns(query);
  if (lift_conditions(level)) (void)walk_queries(query, visit, &outer);
  show_joined_answers(level);
  compare_with_values(level);
  count_units(level);
  compute_windows_above(query);
}

// --- groups without keys ---

// GROUP BY ().
bool is_empty_set(const List* sets) {
  return list_length(sets) == 1 &&
         static_cast<const GroupingSet*>(linitial(sets))->kind == GROUPING_SET_EMPTY;
}

// HAVING, or GROUP BY (), without keys or aggregates makes one group, whatever the rows are, if it
// is true. The server reads no table for it, and has no place for columns of one.
bool visit_single_group(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, visit_single_group, nullptr);
  auto* query = as<Query>(node);
  if (query->hasAggs && query->groupClause == NIL && is_empty_set(query->groupingSets)) {
    query->groupingSets = NIL;  // the one group that aggregates make anyway
  }
  const bool is_one_set =
      query->groupingSets == NIL ? query->havingQual != nullptr : is_empty_set(query->groupingSets);
  if (query->commandType == CMD_SELECT && !query->hasAggs && query->groupClause == NIL &&
      is_one_set) {
    change_from(query, makeFromExpr(NIL, query->havingQual));
    query->havingQual = nullptr;
    query->groupingSets = NIL;
  }
  return walk_queries(query, visit_single_group, nullptr);
}

}  // namespace

void read_nothing_for_single_groups(Query* query) {
  (void)visit_single_group(as<Node>(query), nullptr);
}

void simplify(Query* query) {
  (void)drop_limits(as<Node>(query), nullptr);
  (void)put_views_last(as<Node>(query), nullptr);
  inline_ctes(query);
  read_rows_themselves(query);
  simplify_level({query, nullptr});
  list_other_choices(query);
}

}  // namespace idp
