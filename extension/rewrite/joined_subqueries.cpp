#include "extension/rewrite/joined_subqueries.h"

#include <algorithm>
#include <iterator>

#include "extension/access/hidden.h"
#include "extension/pg/outer_joins.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/domain/public_table.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/groups.h"
#include "extension/pg/keys.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/versions.h"
#include "extension/plan/group_functions.h"
#include "extension/rewrite/existence.h"
#include "extension/rewrite/existence_of_rows.h"
#include "extension/rewrite/first_rows.h"
#include "extension/rewrite/ties.h"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

// --- what a subquery gives where no row is tied ---

constexpr const char* kNullOfNothing[] = {
    "sum",         "avg",     "min",      "max",     "stddev",   "variance", "stddev_pop",
    "stddev_samp", "var_pop", "var_samp", "bool_or", "bool_and", "every"};

// Whether it is 0 or NULL of no rows.
bool is_known_of_nothing(const Aggref* call) {
  if (call->agglevelsup > 0 || call->aggfnoid >= FirstNormalObjectId) return false;
  const char* name = get_func_name(call->aggfnoid);
  return is_count(call->aggfnoid) ||
         std::any_of(std::begin(kNullOfNothing), std::end(kNullOfNothing),
                     [&](const char* one) { return strcmp(one, name) == 0; });
}

// Adds the aggregates of an expression, each once; whether there is anything that is neither one of
// those nor made of them and constants.
bool find_others(Node* node, void* aggregates) {
  if (node == nullptr) return false;
  if (IsA(node, Aggref)) {
    auto** found = static_cast<List**>(aggregates);
    *found = list_append_unique(*found, node);
    return !is_known_of_nothing(as<Aggref>(node));
  }
  if (IsA(node, Var) || IsA(node, SubLink) || IsA(node, WindowFunc)) return true;
  return walk_expression(node, find_others, aggregates);
}

// --- which subqueries ---

bool is_simple(const Query* query) {
  return takes_only(query,
                    step::kAggregates | step::kGroups | step::kImpliedGroups | step::kSubLinks);
}

// Whether at most one row of what it reads has one value of that column.
bool is_unique(const Query* query, const Var* column) {
  const int number = only_entry(query);
  if (number == 0 || number != static_cast<int>(column->varno)) return false;
  const RangeTblEntry* entry = rt_fetch(number, query->rtable);
  if (entry->rtekind != RTE_RELATION || entry->tablesample != nullptr ||
      (entry->relkind == RELKIND_RELATION && has_subclass(entry->relid))) {
    return false;
  }
  return unique_key_on(entry->relid, column->varattno, snapshot_at_work()) != nullptr;
}

// --- the joins ---

struct Joined {
  const SubLink* link;
  Node* value;  // in its place
};

struct Joins {
  Query* query;
  List* made = NIL;     // of Joined
  List* changed = NIL;  // of Node, two for each: a key of groups before and after
};

// The part of FROM that holds what a column is of: a table, or a join.
bool is_of(const Node* from, int number) {
  if (IsA(from, RangeTblRef)) return as<RangeTblRef>(from)->rtindex == number;
  const auto* join = as<JoinExpr>(from);
  return join->rtindex == number || is_of(join->larg, number) || is_of(join->rarg, number);
}

ListCell* part_with(const Query* query, const Var* column) {
  ListCell* cell;
  foreach (cell, query->jointree->fromlist) {
    if (is_of(static_cast<Node*>(lfirst(cell)), column->varno)) return cell;
  }
  return nullptr;
}

// SELECT key, values FROM what the subquery reads, by groups of the key where values are
// aggregates.
Query* rows_by_key(Query* rows, const Tie& tie, const List* values) {
  TargetEntry* key = output(static_cast<Node*>(copyObjectImpl(tie.own)), 1, "key");
  rows->targetList = list_make1(key);
  rows->sortClause = NIL;
  for (auto* value : list<Node>(values)) {
    const int number = list_length(rows->targetList) + 1;
    rows->targetList = lappend(rows->targetList, output(static_cast<Node*>(copyObjectImpl(value)),
                                                        number, psprintf("answer %d", number - 1)));
  }
  if (rows->hasAggs) rows->groupClause = list_make1(clause_of(key, 1));
  return rows;
}

Var* column_of(const Query* query, int entry, AttrNumber number) {
  const Query* rows = rt_fetch(entry, query->rtable)->subquery;
  return column_like(entry,
                     static_cast<const TargetEntry*>(list_nth(rows->targetList, number - 1)));
}

// Joins the rows, and gives their entry and the join's number.
struct Place {
  int entry;
  int join;
};

// key: the number of their column that the tie is of.
Place join_rows(Query* query, ListCell* part, Query* rows, const Tie& tie, AttrNumber key = 1) {
  RangeTblEntry* entry = new_entry(RTE_SUBQUERY, "answers of rows", names_of(rows));
  entry->subquery = rows;
  query->rtable = lappend(query->rtable, entry);
  const int number = list_length(query->rtable);
  auto* outer = static_cast<Var*>(copyObjectImpl(tie.outer));
  outer->varlevelsup = 0;
  auto* equality = static_cast<OpExpr*>(copyObjectImpl(tie.equality));
  equality->args = list_make2(column_of(query, number, key), outer);
  lfirst(part) = left_join(query, static_cast<Node*>(lfirst(part)), number, as<Node>(equality));
  return {number, list_length(query->rtable)};
}

struct Answers {
  const Query* query;
  Place place;
  const List* values;  // of Node: those after the key
  bool has_groups;     // whether there is no row, and no count, where no row is tied
};

Node* with_answers(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  const auto& answers = *static_cast<const Answers*>(context);
  AttrNumber number = 1;
  for (const auto* value : list<Node>(answers.values)) {
    ++number;
    if (!equal(value, node)) continue;
    Var* column = column_of(answers.query, answers.place.entry, number);
    be_absent_by(column, answers.place.join);
    if (answers.has_groups || !IsA(node, Aggref) || !is_count(as<Aggref>(node)->aggfnoid)) {
      return as<Node>(column);
    }
    return coalesced(as<Node>(column), bigint(0));
  }
  return map_expression(node, with_answers, context);
}

// (SELECT status … ORDER BY day DESC LIMIT 1), the first of the rows that are tied. Null if the
// subquery is of another kind.
Node* first_joined(Joins& joins, const SubLink* link) {
  auto* rows = copy_of(as<Query>(link->subselect));
  Tie tie;
  const bool is_first = gives_first_row(rows) && names_hidden_table(rows) &&
                        shown_by(rows) != nullptr && take_tie(rows, &tie);
  ListCell* part = is_first ? part_with(joins.query, tie.outer) : nullptr;
  if (part == nullptr) return nullptr;
  const AttrNumber key = give_first_of_each(rows, tie);
  const Place place = join_rows(joins.query, part, rows, tie, key);
  Var* column = column_of(joins.query, place.entry, 1);
  be_absent_by(column, place.join);
  return as<Node>(column);
}

// Null if the subquery is of another kind.
Node* joined(Joins& joins, const SubLink* link) {
  if (link->subLinkType == EXPR_SUBLINK && as<Query>(link->subselect)->limitCount != nullptr) {
    return first_joined(joins, link);
  }
  if (link->subLinkType != EXPR_SUBLINK || !is_simple(as<Query>(link->subselect))) return nullptr;
  auto* rows = copy_of(as<Query>(link->subselect));
  const Node* shown = shown_by(rows);
  Tie tie;
  const bool has_groups = rows->groupClause != NIL;
  if (shown == nullptr || !take_tie(rows, &tie) || !groups_by_tie(rows, tie)) return nullptr;
  if (has_groups && !rows->hasAggs) return nullptr;
  List* values = NIL;
  if (rows->hasAggs) {
    if (find_others(const_cast<Node*>(shown), &values) || values == NIL) return nullptr;
  } else {
    if (!is_unique(rows, tie.own) || contain_volatile_functions(const_cast<Node*>(shown))) {
      return nullptr;
    }
    values = list_make1(const_cast<Node*>(shown));
  }
  ListCell* part = part_with(joins.query, tie.outer);
  if (part == nullptr) return nullptr;
  auto* expression = static_cast<Node*>(copyObjectImpl(shown));
  const Place place = join_rows(joins.query, part, rows_by_key(rows, tie, values), tie);
  Answers answers{joins.query, place, values, has_groups};
  return with_answers(expression, &answers);
}

// LIMIT 1, as Django writes it: whether there is a row it does not change.
bool leaves_a_row(const Node* limit) {
  if (limit == nullptr) return true;
  const auto* count = maybe<Const>(limit);
  return count != nullptr && (count->constisnull || DatumGetInt64(count->constvalue) >= 1);
}

// EXISTS (SELECT …) as (SELECT count(*) …) > 0; null if it has groups, or is of another kind. x IN
// (SELECT y …) is EXISTS where neither may be NULL.
Node* by_count(Joins& joins, const SubLink* link) {
  auto* existence = static_cast<SubLink*>(copyObjectImpl(link));
  (void)make_existence(joins.query, existence);
  auto* rows = as<Query>(existence->subselect);
  if (leaves_a_row(rows->limitCount)) rows->limitCount = nullptr;
  if (existence->subLinkType != EXISTS_SUBLINK || rows->hasAggs || rows->groupClause != NIL ||
      !is_simple(rows)) {
    return nullptr;
  }
  rows->targetList =
      list_make1(output(as<Node>(aggregate_call(F_COUNT_, INT8OID, nullptr)), 1, "count"));
  rows->sortClause = NIL;
  rows->hasAggs = true;
  existence->subLinkType = EXPR_SUBLINK;
  Node* count = joined(joins, existence);
  return count == nullptr ? nullptr : operation(">", count, bigint(0));
}

// EXISTS (SELECT …), which is tied by more than one equality.
Node* by_rows(Joins& joins, const SubLink* link) {
  auto* existence = static_cast<SubLink*>(copyObjectImpl(link));
  (void)make_existence(joins.query, existence);
  return value_of_existence(joins.query, existence);
}

// The same subquery twice is one join.
Node* with_joins(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  auto& joins = *static_cast<Joins*>(context);
  if (!IsA(node, SubLink)) return map_expression(node, with_joins, context);
  for (const auto* made : list<Joined>(joins.made)) {
    if (equal(made->link, node)) return static_cast<Node*>(copyObjectImpl(made->value));
  }
  Node* value = joined(joins, as<SubLink>(node));
  if (value == nullptr) value = by_count(joins, as<SubLink>(node));
  if (value == nullptr) value = by_rows(joins, as<SubLink>(node));
  if (value == nullptr) return map_expression(node, with_joins, context);
  auto* made = static_cast<Joined*>(palloc(sizeof(Joined)));
  *made = {as<SubLink>(node), value};
  joins.made = lappend(joins.made, made);
  return static_cast<Node*>(copyObjectImpl(value));
}

// --- where they stand ---

// Above groups there are their keys, and what aggregates read.
Node* above_groups(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  auto& joins = *static_cast<Joins*>(context);
  for (ListCell* cell = list_head(joins.changed); cell != nullptr;
       cell = lnext(joins.changed, lnext(joins.changed, cell))) {
    if (equal(lfirst(cell), node)) {
      return static_cast<Node*>(copyObjectImpl(lfirst(lnext(joins.changed, cell))));
    }
  }
  if (IsA(node, Aggref)) return map_expression(node, with_joins, context);
  return map_expression(node, above_groups, context);
}

void change_groups(Joins& joins) {
  Query* query = joins.query;
  if (entry_of_groups(query) == 0) {
    for (auto* key : list<Node>(grouped_expressions(query))) {
      auto* before = static_cast<Node*>(copyObjectImpl(key));
      joins.changed = lappend(lappend(joins.changed, before), with_joins(key, &joins));
    }
  }
  change_grouped(query, [&](Node* keys) { return with_joins(keys, &joins); });
  change_shown(query, [&](Node* shown) { return above_groups(shown, &joins); });
}

// --- EXISTS over groups ---

// The column of the tie alone, by which it groups.
Query* keys_of_groups(Query* rows) {
  const auto* clause = static_cast<const SortGroupClause*>(linitial(rows->groupClause));
  List* shown = NIL;
  for (auto* target : list<TargetEntry>(rows->targetList)) {
    const bool is_key = target->ressortgroupref == clause->tleSortGroupRef;
    if (!is_key) continue;
    target->resjunk = false;
    target->resno = 1;
    target->resname = pstrdup("key");
    shown = lappend(shown, target);
  }
  rows->targetList = shown;
  rows->sortClause = NIL;
  rows->limitCount = nullptr;
  return list_length(shown) == 1 ? rows : nullptr;
}

Node* as_membership(Node* condition) {
  const auto* link = maybe<SubLink>(condition);
  if (link == nullptr || link->subLinkType != EXISTS_SUBLINK) return condition;
  auto* rows = copy_of(as<Query>(link->subselect));
  Tie tie;
  constexpr unsigned kSteps = step::kAggregates | step::kGroups | step::kImpliedGroups |
                              step::kHaving | step::kLimit | step::kWith | step::kSubLinks;
  const bool is_grouped = list_length(rows->groupClause) == 1 && takes_only(rows, kSteps) &&
                          leaves_a_row(rows->limitCount);
  if (!is_grouped || !take_tie(rows, &tie) || !groups_by_tie(rows, tie) ||
      keys_of_groups(rows) == nullptr) {
    return condition;
  }
  auto* outer = static_cast<Var*>(copyObjectImpl(tie.outer));
  outer->varlevelsup = 0;
  return compared_with_any(tie.equality, as<Node>(outer), rows);
}

// EXISTS, IN, and their opposite, stay: the planner joins by them.
Node* with_joins_in_condition(Node* condition, Joins& joins) {
  const auto* negation = maybe<BoolExpr>(condition);
  auto* link = maybe<SubLink>(negation != nullptr && negation->boolop == NOT_EXPR
                                  ? static_cast<Node*>(linitial(negation->args))
                                  : condition);
  const bool stays =
      link != nullptr && (link->subLinkType == EXISTS_SUBLINK || link->subLinkType == ANY_SUBLINK);
  if (!stays) return with_joins(condition, &joins);
  link->testexpr = with_joins(link->testexpr, &joins);
  return condition;
}

// --- IN where NULL is as good as false ---

// Of a condition that chooses rows, be it in WHERE, FILTER or CASE WHEN: x IN (SELECT y …) that is
// tied to the row is EXISTS (SELECT … WHERE y = x).
void make_existences(const Query* query, Node* condition) {
  check_stack_depth();
  if (auto* link = maybe<SubLink>(condition)) {
    if (link->subLinkType == ANY_SUBLINK && names_outer_columns(as<Query>(link->subselect))) {
      (void)make_existence(query, link, true);
    }
    return;
  }
  const auto* whole = maybe<BoolExpr>(condition);
  if (whole == nullptr || whole->boolop == NOT_EXPR) return;
  for (auto* part : list<Node>(whole->args)) make_existences(query, part);
}

bool find_conditions(Node* node, void* query) {
  if (node == nullptr || IsA(node, Query)) return false;
  if (IsA(node, Aggref)) {
    make_existences(static_cast<const Query*>(query), as<Node>(as<Aggref>(node)->aggfilter));
  }
  if (IsA(node, CaseExpr) && as<CaseExpr>(node)->arg == nullptr) {
    for (const auto* when : list<CaseWhen>(as<CaseExpr>(node)->args)) {
      make_existences(static_cast<const Query*>(query), as<Node>(when->expr));
    }
  }
  return walk_expression(node, find_conditions, query);
}

bool reads_hidden_rows(const Query* query) {
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (entry->rtekind == RTE_CTE) return true;  // maybe
    if (entry->rtekind == RTE_SUBQUERY && reads_hidden_table(entry->subquery)) return true;
  }
  return names_hidden_table(query);
}

}  // namespace

void join_subqueries(Query* query) {
  const bool is_plain = query->commandType == CMD_SELECT && query->hasSubLinks &&
                        query->setOperations == nullptr && query->groupingSets == NIL &&
                        query->jointree->fromlist != NIL && reads_hidden_rows(query);
  if (!is_plain) return;
  (void)find_conditions(as<Node>(query->targetList), query);
  (void)find_conditions(query->havingQual, query);
  Joins joins{query};
  Node* where = nullptr;
  for (auto* condition : list<Node>(conjuncts(query->jointree->quals))) {
    make_existences(query, condition);
    where = make_and_qual(where, with_joins_in_condition(as_membership(condition), joins));
  }
  query->jointree->quals = where;
  if (query->hasAggs || query->groupClause != NIL) {
    change_groups(joins);
  } else {
    query->targetList = reinterpret_cast<List*>(with_joins(as<Node>(query->targetList), &joins));
  }
  query->hasSubLinks = checkExprHasSubLink(as<Node>(query));
}

}  // namespace idp
