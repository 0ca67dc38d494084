#include "extension/rewrite/counted_units.h"

#include "extension/access/hidden.h"
#include "extension/pg/groups.h"
#include "extension/pg/outer_joins.h"
#include "extension/domain/key_origin.h"
#include "extension/plan/new_query.h"
#include "extension/plan/ways.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/versions.h"
#include "extension/rewrite/bounded_rows.h"
#include "extension/rewrite/given_rows.h"
#include "extension/rewrite/linked_rows.h"
#include "extension/rewrite/symmetric_sums.h"
#include "extension/rewrite/unit_column.h"

extern "C" {
#include "catalog/pg_aggregate.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

// --- which levels ---

bool is_simple(const Query* query) {
  constexpr unsigned kSteps = step::kAggregates | step::kGroups | step::kHaving | step::kWindows |
                              step::kDistinct | step::kDistinctOn | step::kLimit | step::kOffset;
  return query->hasAggs && takes_only(query, kSteps) && query->jointree->fromlist != NIL;
}

// Whether it reads rows of which a unit may have any number.
bool reads_any_number(const Query* query) {
  check_stack_depth();
  if (query->setOperations != nullptr) {
    for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
      if (entry->rtekind == RTE_SUBQUERY && reads_any_number(entry->subquery)) return true;
    }
    return false;
  }
  for (const int number : ints(entries_read(as<Node>(query->jointree)))) {
    const RangeTblEntry* entry = rt_fetch(number, query->rtable);
    if (entry->rtekind == RTE_SUBQUERY && reads_any_number(entry->subquery)) return true;
    if (entry->rtekind != RTE_RELATION || !is_hidden(entry->relid)) continue;
    const LinkRow* link = link_of(entry->relid);
    if (link != nullptr && link->max_rows() == 0) return true;
  }
  return false;
}

struct Search {
  const QueryLevel* level;
  Node* unit;  // what is counted, once it was met
  bool has_others;
  bool has_sums = false;  // of each unit once, whatever joins repeat it
};

void meet(Search* search, Node* counted, bool is_plain) {
  const bool is_of_unit = is_plain && is_unit(*search->level, counted) &&
                          (search->unit == nullptr || equal(search->unit, counted));
  search->has_others |= !is_of_unit;
  if (is_of_unit) search->unit = counted;
}

bool find_counts(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return false;
  auto* search = static_cast<Search*>(context);
  SumByKey sum;
  if (read_sum_by_key(node, &sum)) {
    auto* key = as<Node>(const_cast<Var*>(sum.key));
    meet(search, key, is_of_own_row(*search->level, sum));
    search->has_sums = true;
    return false;
  }
  if (!IsA(node, Aggref)) return walk_expression(node, find_counts, context);
  const auto* call = as<Aggref>(node);
  const bool is_count = call->aggfnoid == F_COUNT_ANY && call->aggdistinct != NIL &&
                        call->agglevelsup == 0 && list_length(call->args) == 1;
  auto* counted =
      is_count ? as<Node>(static_cast<const TargetEntry*>(linitial(call->args))->expr) : nullptr;
  meet(search, counted, counted != nullptr);
  return false;
}

// --- the rows of units ---

struct Move {
  Query* units;
  List* keys;  // of Node
  Node* unit;
};

TargetEntry* add_key(Query* units, Node* value, const char* name) {
  const int number = list_length(units->targetList) + 1;
  TargetEntry* target = output(static_cast<Node*>(copyObjectImpl(value)), number, name);
  auto* clause = makeNode(SortGroupClause);
  Oid ignored;
  clause->tleSortGroupRef = target->ressortgroupref = static_cast<Index>(number);
  get_sort_group_operators(exprType(value), false, true, false, &ignored, &clause->eqop, nullptr,
                           &clause->hashable);
  get_sort_group_operators(exprType(value), false, false, false, &clause->sortop, &ignored, nullptr,
                           nullptr);
  units->targetList = lappend(units->targetList, target);
  units->groupClause = lappend(units->groupClause, clause);
  return target;
}

Node* column_of(const Query* units, const Node* value) {
  for (const auto* target : list<TargetEntry>(units->targetList)) {
    if (equal(target->expr, value)) return as<Node>(column_like(1, target));
  }
  return nullptr;
}

// What an aggregate of the rows of a unit in a group gives.
Node* of_rows(Move& move, Oid function, Node* argument, const Expr* condition, const char* name) {
  const Oid type = argument == nullptr ? Oid{INT8OID} : exprType(argument);
  Aggref* call = aggregate_call(function, type, argument);
  call->aggfilter = static_cast<Expr*>(copyObjectImpl(condition));
  Query* units = move.units;
  units->hasAggs = true;
  const int number = list_length(units->targetList) + 1;
  units->targetList = lappend(units->targetList, output(as<Node>(call), number, name));
  return as<Node>(makeVar(1, static_cast<AttrNumber>(number), call->aggtype, -1, InvalidOid, 0));
}

// Whether any of the rows fulfils a condition: how many do, of the rows of a unit in a group.
Expr* any_row(Move& move, const Expr* condition) {
  if (condition == nullptr) return nullptr;
  return as<Expr>(operation(">", of_rows(move, F_COUNT_, nullptr, condition, "rows"), bigint(0)));
}

// The rows of a unit have one value, of its own row.
Node* sum_of_units(Move& move, const SumByKey& sum) {
  auto* value = static_cast<Node*>(copyObjectImpl(sum.value));
  Node* of_unit = of_rows(move, F_MAX_NUMERIC, value, sum.sum->aggfilter, "value");
  const auto* unit = as<Var>(column_of(move.units, move.unit));
  return as<Node>(sum_where_not_null(sum.sum, of_unit, nullptr, unit));
}

Node* over_units(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  auto& move = *static_cast<Move*>(context);
  if (list_member(move.keys, node)) return column_of(move.units, node);
  SumByKey sum;
  if (read_sum_by_key(node, &sum)) return sum_of_units(move, sum);
  if (!IsA(node, Aggref)) return map_expression(node, over_units, context);
  auto* count = static_cast<Aggref*>(copyObjectImpl(node));
  count->aggdistinct = NIL;
  count->aggfilter = any_row(move, count->aggfilter);
  auto* argument = static_cast<TargetEntry*>(linitial(count->args));
  argument->ressortgroupref = 0;
  argument->expr = as<Expr>(column_of(move.units, move.unit));
  return as<Node>(count);
}

// Keys that are columns: others would have none, once they are grouped by below (key_columns.h).
bool are_columns(const List* keys) {
  for (const auto* key : list<Node>(keys)) {
    if (!IsA(key, Var) || as<Var>(key)->varattno <= 0) return false;
  }
  return true;
}

}  // namespace

void count_units(const QueryLevel& level) {
  Query* query = level.query;
  if (!is_simple(query) || names_outer_columns(query)) return;
  Search search{&level, nullptr, false};
  (void)find_counts(as<Node>(query->targetList), &search);
  (void)find_counts(query->havingQual, &search);
  if (search.unit == nullptr || search.has_others) return;
  if (!search.has_sums && !reads_any_number(query)) return;
  put_groups_in_place(query);
  List* keys = get_sortgrouplist_exprs(query->groupClause, query->targetList);
  if (!are_columns(keys)) return;
  Move move{rows_of(query), keys, search.unit};
  for (auto* key : list<Node>(keys)) {
    if (column_of(move.units, key) == nullptr) {
      (void)add_key(move.units, key, name_of_column(query, as<Var>(key)));
    }
  }
  if (column_of(move.units, move.unit) == nullptr) (void)add_key(move.units, move.unit, "unit");
  change_shown(query, [&](Node* shown) { return over_units(shown, &move); });
  IncrementVarSublevelsUp(as<Node>(move.units), 1, 1);
  read_rows(query, move.units, "units", nullptr);
}

int64 number_of_listed_keys(const Query* query, const Node* key) {
  const auto* column = maybe<Var>(key);
  if (column == nullptr || column->varlevelsup > 0 || column->varattno <= 0) return 0;
  const KeyColumn* listed = key_of_column(query, column);
  const bool is_listed =
      listed != nullptr && listed->keys.values != nullptr && listed->keys.grain.unit == nullptr;
  return is_listed ? listed->count() : 0;
}

namespace {

// Of those that a query groups by one that tells rows of a linked table; null if there is none.
const Var* key_of_linked_rows(const QueryLevel& level, const List* keys) {
  for (auto* clause : list<SortGroupClause>(keys)) {
    const Node* key = get_sortgroupclause_expr(clause, level.query->targetList);
    const auto* column = maybe<Var>(key);
    if (column != nullptr && most_rows_told_by(origin_of(level, key)) > 0) return column;
  }
  return nullptr;
}

// How many values of a key the rows of a unit have at most; 0 if that is not known. row: as that
// function says.
int64 number_of_keys(const QueryLevel& level, Node* key, const Var* row) {
  if (row != nullptr && equal(key, row)) return most_rows_told_by(origin_of(level, key));
  if (row != nullptr && follows_from_row(level, key, row)) return 1;
  return number_of_listed_keys(level.query, key);
}

// How many entries were looked at for one query. CTEs that read CTEs more than once are looked at
// for each way to them: after so many ways nothing is known.
int ways = 0;

int64 rows_read(const QueryLevel& level, List** readers);
int64 rows_of_unit(const QueryLevel& level, RangeTblEntry* entry, List** readers);

// Of how many rows of a unit the groups are that a query makes: of one entry, where all keys are
// columns of that.
int64 rows_grouped(const QueryLevel& level, const List* keys, List** readers) {
  const int64 rows = most_rows(list_make1(level.query));
  if (rows > 0) {
    *readers = lappend(*readers, level.query);
    return rows;
  }
  int only = 0;
  for (auto* clause : list<SortGroupClause>(keys)) {
    const auto* column = maybe<Var>(get_sortgroupclause_expr(clause, level.query->targetList));
    const bool is_plain = column != nullptr && column->varlevelsup == 0 && column->varattno > 0;
    const int number = is_plain ? static_cast<int>(column->varno) : 0;
    if (number == 0 || (only != 0 && number != only)) return rows_read(level, readers);
    only = number;
  }
  return only == 0 ? 0 : rows_of_unit(level, rt_fetch(only, level.query->rtable), readers);
}

// How many rows of a unit a query gives that groups by units; 0 if that is not known.
int64 groups_of_unit(const QueryLevel& level, List** readers) {
  const Query* units = level.query;
  const AttrNumber unit = column_of_units(level);
  if (unit == 0) return 0;
  const List* keys = units->distinctClause != NIL ? units->distinctClause : units->groupClause;
  List* grouped = NIL;
  const int64 rows = rows_grouped(level, keys, &grouped);
  const Var* row = key_of_linked_rows(level, keys);
  int64 number = 1;        // 0: not known
  bool all_follow = true;  // from the unit, as columns of its own table do
  for (const auto* clause : list<SortGroupClause>(keys)) {
    const TargetEntry* target =
        get_sortgroupclause_tle(const_cast<SortGroupClause*>(clause), units->targetList);
    if (target->resno == unit) continue;
    const auto* column = maybe<Var>(target->expr);
    const bool is_plain = column != nullptr && column->varlevelsup == 0 && column->varattno > 0;
    number *= number_of_keys(level, as<Node>(target->expr), row);
    if (number > kMostKeys) number = 0;
    if (number == 0 && rows == 0) return 0;
    const TableColumn origin = is_plain ? origin_of(level, as<Node>(column)) : TableColumn{};
    all_follow &= OidIsValid(origin.table) && is_unit_table(origin.table);
  }
  if (all_follow) return 1;
  *readers = list_concat(*readers, grouped);
  // each group has a row
  return number == 0 || (rows > 0 && rows < number) ? rows : number;
}

// The same of any query: of one that passes on what it reads, what that has.
int64 rows_given(const QueryLevel& level, List** readers) {
  if (column_of_units(level) == 0 && passes_rows(level.query)) return rows_read(level, readers);
  return groups_of_unit(level, readers);
}

// The same of what a level reads there.
int64 rows_of_unit(const QueryLevel& level, RangeTblEntry* entry, List** readers) {
  if (++ways > kMostWays) return 0;
  if (given_by_entry(level, entry) != Given::kRows) return 1;
  if (entry->rtekind == RTE_SUBQUERY) return rows_given({entry->subquery, &level}, readers);
  if (entry->rtekind == RTE_CTE) {
    const FoundCte found = cte_of(level, entry);
    if (found.cte == nullptr || found.cte->cterecursive) return 0;
    return rows_given({as<Query>(found.cte->ctequery), found.owner}, readers);
  }
  return entry->rtekind == RTE_RELATION && is_unit_table(entry->relid) ? 1 : 0;
}

// The same of all that a level reads together. Linked tables say it themselves.
int64 rows_read(const QueryLevel& level, List** readers) {
  check_stack_depth();
  const int64 of_tables = most_rows(list_make1(level.query));
  if (of_tables > 0) *readers = list_append_unique_ptr(*readers, level.query);
  int64 most = Max(of_tables, 1);
  for (const int number : ints(entries_read(as<Node>(level.query->jointree)))) {
    RangeTblEntry* entry = rt_fetch(number, level.query->rtable);
    const bool is_linked = entry->rtekind == RTE_RELATION && !is_unit_table(entry->relid);
    most *= is_linked && of_tables > 0 ? 1 : rows_of_unit(level, entry, readers);
    if (most == 0 || most > kMostKeys) return 0;
  }
  return most;
}

}  // namespace

int64 most_groups_of_unit(const QueryLevel& level, List** readers) {
  List* grouped = NIL;
  ways = 0;
  const int64 most = rows_read(level, &grouped);
  if (most <= 1) return 0;
  *readers = list_concat(*readers, grouped);
  return most;
}

}  // namespace idp
