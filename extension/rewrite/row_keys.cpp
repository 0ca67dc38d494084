#include "extension/rewrite/row_keys.h"

#include <initializer_list>

#include "extension/pg/outer_joins.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/groups.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/statement_room.h"
#include "extension/pg/versions.h"
#include "extension/rewrite/unit_column.h"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

// --- where a column comes from ---

// A column of an entry that is no join; null if it is anything else.
const Var* column_joined(const Query* query, const Node* value) {
  check_stack_depth();
  const auto* column = maybe<Var>(value);
  if (column == nullptr || column->varlevelsup > 0 || column->varattno <= 0) return nullptr;
  const RangeTblEntry* entry = rt_fetch(column->varno, query->rtable);
  if (entry->rtekind != RTE_JOIN) return column;
  return column_joined(
      query, static_cast<const Node*>(list_nth(entry->joinaliasvars, column->varattno - 1)));
}

const UniqueKey* key_of(const Query* query, const Node* value);

// Whether what it gives are rows of what it reads, none of them twice.
bool passes_rows(const Query* query) {
  return takes_only(query, step::kWindows | step::kDistinct | step::kDistinctOn | step::kLimit |
                               step::kOffset | step::kWith | step::kSubLinks);
}

const UniqueKey* key_of_entry(const RangeTblEntry* entry, AttrNumber number) {
  if (entry->lateral || entry->tablesample != nullptr) return nullptr;
  if (entry->rtekind == RTE_RELATION) {
    const bool is_table = entry->relkind == RELKIND_PARTITIONED_TABLE
                              ? entry->inh
                              : entry->relkind == RELKIND_RELATION && !has_subclass(entry->relid);
    const UniqueKey* key =
        is_table ? unique_key_on(entry->relid, number, snapshot_at_work()) : nullptr;
    return key != nullptr && key->without_nulls ? key : nullptr;
  }
  if (entry->rtekind != RTE_SUBQUERY) return nullptr;
  const Query* query = entry->subquery;
  const TargetEntry* target =
      passes_rows(query) ? column_shown(query->targetList, number) : nullptr;
  return target == nullptr ? nullptr : key_of(query, as<Node>(target->expr));
}

// --- joins that repeat no rows ---

const UniqueKey* key_in(const Query* query, const Node* from, const Var* column);

// Whether a part of FROM is a row of expressions, or of answers, and no more: WITH limits AS
// (SELECT 0 AS low, 100 AS high).
bool is_one_row(const Query* query, const Node* part) {
  if (!IsA(part, RangeTblRef)) return false;
  const RangeTblEntry* entry = rt_fetch(as<RangeTblRef>(part)->rtindex, query->rtable);
  if (entry->rtekind == RTE_VALUES) return list_length(entry->values_lists) == 1;
  if (entry->rtekind != RTE_SUBQUERY) return false;
  const Query* rows = entry->subquery;
  constexpr unsigned kSteps = step::kAggregates | step::kHaving | step::kWindows | step::kDistinct |
                              step::kLimit | step::kOffset | step::kWith | step::kSubLinks;
  return takes_only(rows, kSteps) && (rows->hasAggs || rows->jointree->fromlist == NIL);
}

// Whether a value is made of columns of parts of FROM alone, and is one for each of their rows.
// What is of a query around it is the same for all rows.
bool is_of(const Query* query, const Node* value, const List* parts) {
  auto* node = const_cast<Node*>(value);
  const List* columns = pull_vars_of_level(node, 0);
  for (const auto* each : list<Node>(columns)) {
    const Var* column = column_joined(query, each);
    bool is_held = false;
    for (const auto* part : list<Node>(parts)) {
      is_held |= column != nullptr && holds(part, static_cast<Index>(column->varno));
    }
    if (!is_held) return false;
  }
  return columns != NIL && !contain_volatile_functions(node) && !contain_subplans(node);
}

// A column of a part of FROM that is equal to a constant, or to what is computed of other parts.
struct Told {
  const Var* column;
  const OpExpr* comparison;
};

// conditions: of Node. Of Told.
List* columns_told(const Query* query, const List* conditions, const Node* part,
                   const List* others) {
  List* found = NIL;
  for (const auto* node : list<Node>(conditions)) {
    const auto* comparison = as<OpExpr>(node);
    if (!IsA(comparison, OpExpr) || list_length(comparison->args) != 2) continue;
    // varchar is compared as text, and by the same equality
    const auto side = [&](int i) {
      return column_joined(
          query, without_relabels(static_cast<const Node*>(list_nth(comparison->args, i))));
    };
    const Var* sides[] = {side(0), side(1)};
    for (const int i : {0, 1}) {
      if (sides[i] == nullptr || !holds(part, static_cast<Index>(sides[i]->varno))) continue;
      const auto* given = static_cast<const Node*>(list_nth(comparison->args, 1 - i));
      if (!IsA(given, Const) && !is_of(query, given, others)) continue;
      auto* told = static_cast<Told*>(palloc(sizeof(Told)));
      *told = {sides[i], comparison};
      found = lappend(found, told);
    }
  }
  return found;
}

bool is_told(const List* told, const KeyPart& key) {
  for (const auto* each : list<Told>(told)) {
    if (each->column->varattno == key.column &&
        is_equality_of(key.family, each->comparison->opno, each->comparison->inputcollid)) {
      return true;
    }
  }
  return false;
}

// Whether these columns of a table tell one row of it by a key of several: no NULL is equal to
// anything.
bool tell_one_row(const Query* query, const Node* part, const List* told) {
  if (!IsA(part, RangeTblRef) || list_length(told) < 2) return false;
  const RangeTblEntry* entry = rt_fetch(as<RangeTblRef>(part)->rtindex, query->rtable);
  if (entry->rtekind != RTE_RELATION || entry->tablesample != nullptr ||
      (entry->relkind == RELKIND_PARTITIONED_TABLE ? !entry->inh : has_subclass(entry->relid))) {
    return false;
  }
  for (const auto* key : list<UniqueKey>(unique_keys_of(entry->relid, snapshot_at_work()))) {
    bool are_all = true;
    for (int i = 0; i < key->count; ++i) are_all = are_all && is_told(told, key->columns[i]);
    if (are_all) return true;
  }
  return false;
}

}  // namespace

bool finds_one_row(const Query* query, const List* conditions, const Node* part,
                   const List* others) {
  if (is_one_row(query, part)) return true;
  const List* told = columns_told(query, conditions, part, others);
  for (const auto* each : list<Told>(told)) {
    const UniqueKey* key = key_in(query, part, each->column);
    if (key != nullptr && is_equality_of(key->columns[0].family, each->comparison->opno,
                                         each->comparison->inputcollid)) {
      return true;
    }
  }
  return tell_one_row(query, part, told);
}

namespace {

const UniqueKey* key_in_join(const Query* query, const JoinExpr* join, const Var* column) {
  const bool is_left = holds(join->larg, static_cast<Index>(column->varno));
  Node* side = is_left ? join->larg : join->rarg;
  Node* other = is_left ? join->rarg : join->larg;
  if (may_lack(join, side) ||
      !finds_one_row(query, conjuncts(join->quals), other, list_make1(side))) {
    return nullptr;
  }
  return key_in(query, side, column);
}

// FROM a, b, c WHERE …: whether each of the others is found by those that were before it.
bool find_one_row_each(const Query* query, const FromExpr* from, Node* first) {
  List* found = list_make1(first);
  for (bool any = true; any;) {
    any = false;
    for (auto* part : list<Node>(from->fromlist)) {
      if (list_member_ptr(found, part) ||
          !finds_one_row(query, conjuncts(from->quals), part, found)) {
        continue;
      }
      found = lappend(found, part);
      any = true;
    }
  }
  return list_length(found) == list_length(from->fromlist);
}

// The key that a column is in what a part of FROM gives; null if it is none.
const UniqueKey* key_in(const Query* query, const Node* from, const Var* column) {
  check_stack_depth();
  if (IsA(from, RangeTblRef)) {
    const int number = as<RangeTblRef>(from)->rtindex;
    if (number != static_cast<int>(column->varno)) return nullptr;
    return key_of_entry(rt_fetch(number, query->rtable), column->varattno);
  }
  if (IsA(from, JoinExpr)) return key_in_join(query, as<JoinExpr>(from), column);
  const auto* parts = as<FromExpr>(from);
  for (auto* part : list<Node>(parts->fromlist)) {
    if (!holds(part, static_cast<Index>(column->varno))) continue;
    return find_one_row_each(query, parts, part) ? key_in(query, part, column) : nullptr;
  }
  return nullptr;
}

const UniqueKey* key_of(const Query* query, const Node* value) {
  const Var* column = column_joined(query, value);
  return column == nullptr || query->jointree == nullptr
             ? nullptr
             : key_in(query, as<Node>(query->jointree), column);
}

// Units are counted, and groups are theirs, by other means.
bool tells_rows_apart(const QueryLevel& level, const Node* value) {
  return IsA(value, Var) && !is_unit(level, value) && key_of(level.query, value) != nullptr;
}

// --- joins that may repeat rows ---

// Whether a join in that part of FROM may repeat rows of a table in it, for all that is known. What
// WHERE says leaves out rows that any join has found.
bool repeats_rows_of(const Query* query, const Node* from, Index table) {
  check_stack_depth();
  if (IsA(from, RangeTblRef)) return false;
  if (IsA(from, JoinExpr)) {
    const auto* join = as<JoinExpr>(from);
    const bool is_left = holds(join->larg, table);
    Node* side = is_left ? join->larg : join->rarg;
    const Node* other = is_left ? join->rarg : join->larg;
    List* conditions = list_concat_copy(conjuncts(join->quals), conjuncts(query->jointree->quals));
    return !finds_one_row(query, conditions, other, list_make1(side)) ||
           repeats_rows_of(query, side, table);
  }
  for (auto* part : list<Node>(as<FromExpr>(from)->fromlist)) {
    if (!holds(part, table)) continue;
    return !find_one_row_each(query, as<FromExpr>(from), part) ||
           repeats_rows_of(query, part, table);
  }
  return false;
}

// LATERAL (VALUES (o.amount), (o.quantity)): as many rows for each row.
bool is_list_of_several(const RangeTblEntry* entry) {
  if (entry->rtekind != RTE_SUBQUERY || entry->subquery == nullptr) return false;
  const Query* query = entry->subquery;
  const List* read = query->jointree == nullptr ? NIL : query->jointree->fromlist;
  if (!takes_only(query, 0) || query->jointree->quals != nullptr || list_length(read) != 1 ||
      !IsA(linitial(read), RangeTblRef)) {
    return false;
  }
  const RangeTblEntry* list =
      rt_fetch(static_cast<RangeTblRef*>(linitial(read))->rtindex, query->rtable);
  return list->rtekind == RTE_VALUES && list_length(list->values_lists) > 1;
}

// Whether it is known which columns of an entry are keys: not of groups, nor of set operations, nor
// of what is looked up for each row, by a condition of its own.
bool is_known(const RangeTblEntry* entry) {
  if (entry->lateral) return is_list_of_several(entry);
  if (entry->rtekind == RTE_SUBQUERY)
    return entry->subquery != nullptr && passes_rows(entry->subquery);
  return entry->rtekind == RTE_RELATION || entry->rtekind == RTE_VALUES ||
         entry->rtekind == RTE_FUNCTION;
}

// --- what becomes of it ---

Node* with_counts_of_rows(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  const auto* level = static_cast<const QueryLevel*>(context);
  const auto* call = maybe<Aggref>(node);
  if (call == nullptr) return map_expression(node, with_counts_of_rows, context);
  const bool is_count = call->aggfnoid == F_COUNT_ANY && call->aggdistinct != NIL &&
                        call->agglevelsup == 0 && list_length(call->args) == 1;
  if (!is_count) return node;
  const auto* counted = as<Node>(static_cast<const TargetEntry*>(linitial(call->args))->expr);
  const bool all_have_one = tells_rows_apart(*level, counted);
  if (!all_have_one &&
      (is_unit(*level, counted) || !tells_apart_rows_that_have_one(level->query, counted))) {
    return node;
  }
  auto* rows = static_cast<Aggref*>(copyObjectImpl(call));
  rows->aggdistinct = rows->aggorder = NIL;
  static_cast<TargetEntry*>(linitial(rows->args))->ressortgroupref = 0;
  if (!all_have_one) return as<Node>(rows);
  rows->aggfnoid = F_COUNT_;
  rows->aggstar = true;
  rows->args = rows->aggargtypes = NIL;
  rows->inputcollid = InvalidOid;
  return as<Node>(rows);
}

bool any_tells_rows_apart(const QueryLevel& level, const List* clauses) {
  for (auto* clause : list<SortGroupClause>(clauses)) {
    const Node* value = get_sortgroupclause_expr(clause, level.query->targetList);
    if (tells_rows_apart(level, value)) return true;
  }
  return false;
}

}  // namespace

bool may_be_repeated(const Query* query, int table) {
  const RangeTblEntry* entry = rt_fetch(table, query->rtable);
  return is_known(entry) && joins_may_repeat(query, table);
}

bool joins_may_repeat(const Query* query, int entry) {
  if (rt_fetch(entry, query->rtable)->lateral) return false;  // by conditions of its own
  for (const int number : ints(entries_read(as<Node>(query->jointree)))) {
    if (number != entry && !is_known(rt_fetch(number, query->rtable))) return false;
  }
  return repeats_rows_of(query, as<Node>(query->jointree), static_cast<Index>(entry));
}

bool is_told_once(const Query* query, int entry) {
  return !repeats_rows_of(query, as<Node>(query->jointree), static_cast<Index>(entry));
}

bool tells_apart_rows_that_have_one(const Query* query, const Node* value) {
  const Var* column = column_joined(query, value);
  return column != nullptr &&
         key_of_entry(rt_fetch(column->varno, query->rtable), column->varattno) != nullptr &&
         !repeats_rows_of(query, as<Node>(query->jointree), static_cast<Index>(column->varno));
}

void count_rows_by_keys(const QueryLevel& level) {
  Query* query = level.query;
  if (!query->hasAggs || query->setOperations != nullptr) return;
  QueryLevel context = level;
  change_shown(query, [&](Node* shown) { return with_counts_of_rows(shown, &context); });
}

void drop_groups_of_one_row(const QueryLevel& level) {
  Query* query = level.query;
  constexpr unsigned kSteps = step::kGroups | step::kImpliedGroups | step::kWindows |
                              step::kDistinct | step::kLimit | step::kOffset | step::kWith |
                              step::kSubLinks;
  if (level.outer == nullptr || !takes_only(query, kSteps)) return;
  if (query->groupClause == NIL && any_tells_rows_apart(level, query->distinctClause)) {
    query->distinctClause = NIL;
  }
  if (query->groupClause == NIL || query->distinctClause != NIL || query->hasWindowFuncs) return;
  put_groups_in_place(query);
  if (any_tells_rows_apart(level, query->groupClause)) query->groupClause = NIL;
}

}  // namespace idp
