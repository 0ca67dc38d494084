#include "extension/plan/new_query.h"

#include "extension/pg/outer_joins.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/groups.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/rights.h"
#include "extension/pg/versions.h"

extern "C" {
#include "parser/parse_oper.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

TargetEntry* output(Node* expression, int position, const char* name) {
  return makeTargetEntry(as<Expr>(expression), static_cast<AttrNumber>(position), pstrdup(name),
                         false);
}

Query* new_query() {
  auto* query = makeNode(Query);
  query->commandType = CMD_SELECT;
  query->querySource = QSRC_ORIGINAL;
  query->canSetTag = true;
  return query;
}

RangeTblEntry* new_entry(RTEKind kind, const char* name, List* column_names) {
  auto* entry = makeNode(RangeTblEntry);
  entry->rtekind = kind;
  entry->eref = makeAlias(name, column_names);
  entry->inFromCl = true;
  return entry;
}

SortGroupClause* clause_of(TargetEntry* target, Index reference) {
  auto* clause = makeNode(SortGroupClause);
  clause->tleSortGroupRef = target->ressortgroupref = reference;
  get_sort_group_operators(exprType(as<Node>(target->expr)), true, true, false, &clause->sortop,
                           &clause->eqop, nullptr, &clause->hashable);
  return clause;
}

List* names_of(const Query* query) {
  List* names = NIL;
  for (const auto* target : list<TargetEntry>(query->targetList)) {
    if (!target->resjunk) names = lappend(names, makeString(pstrdup(target->resname)));
  }
  return names;
}

Node* column_showing(List** targets, Node* value, const char* name) {
  CHECK_FOR_INTERRUPTS();
  TargetEntry* shown = tlist_member(as<Expr>(value), *targets);
  if (shown == nullptr) {
    shown = output(value, list_length(*targets) + 1, name);
    *targets = lappend(*targets, shown);
  }
  return as<Node>(column_like(1, shown));
}

Query* rows_of(const Query* query) {
  Query* rows = new_query();
  rows->rtable = list_copy(query->rtable);
  if (const Index groups = entry_of_groups(query)) {
    list_nth_cell(rows->rtable, static_cast<int>(groups) - 1)->ptr_value =
        new_entry(RTE_RESULT, "*RESULT*", NIL);
  }
  share_rights(rows, query);
  rows->cteList = query->cteList;
  rows->jointree = query->jointree;
  rows->hasRecursive = query->hasRecursive;
  rows->hasSubLinks = query->hasSubLinks;
  rows->hasRowSecurity = query->hasRowSecurity;
  return rows;
}

void read_rows(Query* query, Query* rows, const char* name, Node* condition) {
  RangeTblEntry* entry = new_entry(RTE_SUBQUERY, name, names_of(rows));
  entry->subquery = rows;
  const Index groups = entry_of_groups(query);
  query->rtable =
      groups > 0 ? list_make2(entry, rt_fetch(groups, query->rtable)) : list_make1(entry);
  drop_rights(query);
  query->cteList = NIL;
  query->hasRecursive = false;
  auto* reference = makeNode(RangeTblRef);
  reference->rtindex = 1;
  query->jointree = makeFromExpr(list_make1(reference), condition);
  query->hasSubLinks = checkExprHasSubLink(as<Node>(query));
}

namespace {

// Whether a query in an expression of a level reads a CTE of that level.
bool find_cte_of(Node* node, void* depth) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_cte_of, depth);
  auto* query = as<Query>(node);
  auto* level = static_cast<Index*>(depth);
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (entry->rtekind == RTE_CTE && entry->ctelevelsup == *level) return true;
  }
  ++*level;
  const bool found = walk_queries(query, find_cte_of, depth);
  --*level;
  return found;
}

bool find_reader(Node* node, void*) {
  if (node == nullptr || IsA(node, Query)) return false;
  if (IsA(node, Aggref)) {
    auto* over_groups = as<Node>(as<Aggref>(node)->aggdirectargs);
    return find_reader(over_groups, nullptr);
  }
  if (IsA(node, SubLink)) {
    Node* query = as<SubLink>(node)->subselect;
    Index depth = 1;
    if (find_cte_of(query, &depth) || contain_vars_of_level(query, 1)) return true;
  }
  return walk_expression(node, find_reader, nullptr);
}

}  // namespace

bool names_rows_from_above(const Query* query) {
  Query above = *query;
  const Index groups = entry_of_groups(query);
  above.rtable = groups > 0 ? list_make1(rt_fetch(groups, query->rtable)) : NIL;
  above.cteList = NIL;
  above.jointree = nullptr;
  return walk_query(&above, find_reader, nullptr);
}

Node* reference_to(int number) {
  auto* reference = makeNode(RangeTblRef);
  reference->rtindex = number;
  return as<Node>(reference);
}

namespace {

// Not those that a table was given after a view over it was made, or while a statement waits.
void add_columns_of(const Query* query, int entry, RangeTblEntry* join, bool is_left) {
  RangeTblEntry* joined = rt_fetch(entry, query->rtable);
  const int known = list_length(joined->eref->colnames);
  List* names = NIL;
  List* columns = NIL;
  columns_of_entry(joined, entry, &names, &columns);
  ListCell* name;
  ListCell* column;
  forboth(name, names, column, columns) {
    const auto number = static_cast<int>(as<Var>(static_cast<Node*>(lfirst(column)))->varattno);
    if (number > known) continue;
    join->eref->colnames = lappend(join->eref->colnames, lfirst(name));
    join->joinaliasvars = lappend(join->joinaliasvars, lfirst(column));
    List*& numbers = is_left ? join->joinleftcols : join->joinrightcols;
    numbers = lappend_int(numbers, number);
  }
}

}  // namespace

Node* left_join(Query* query, Node* left, int right, Node* condition) {
  RangeTblEntry* entry = new_entry(RTE_JOIN, "unnamed_join", NIL);
  entry->jointype = JOIN_LEFT;
  for (const int number : ints(entries_read(left))) add_columns_of(query, number, entry, true);
  add_columns_of(query, right, entry, false);
  query->rtable = lappend(query->rtable, entry);
  auto* join = makeNode(JoinExpr);
  join->jointype = JOIN_LEFT;
  join->larg = left;
  join->rarg = reference_to(right);
  join->quals = condition;
  join->rtindex = list_length(query->rtable);
  return as<Node>(join);
}

Node* column_of_list(const Node* shown, int number) {
  return parameter_like(PARAM_SUBLINK, number, shown);
}

Node* compared_with_any(const OpExpr* comparison, Node* left, Query* list) {
  const auto* shown = as<Node>(static_cast<const TargetEntry*>(linitial(list->targetList))->expr);
  auto* test = static_cast<OpExpr*>(copyObjectImpl(comparison));
  test->args = list_make2(left, column_of_list(shown, 1));
  auto* any = makeNode(SubLink);
  any->subLinkType = ANY_SUBLINK;
  any->testexpr = as<Node>(test);
  any->operName = list_make1(makeString(get_opname(comparison->opno)));
  any->subselect = as<Node>(list);
  any->location = -1;
  return as<Node>(any);
}

RangeTblEntry* without_subquery(RangeTblEntry* entry) {
  if (!OidIsValid(entry->relid)) return new_entry(RTE_RESULT, "*RESULT*", NIL);
  entry->subquery = new_query();
  entry->subquery->jointree = makeFromExpr(NIL, nullptr);
  return entry;
}

// The planner looks in FROM for the joins that it finds in the range table.
void change_from(Query* query, FromExpr* from) {
  ListCell* cell;
  foreach (cell, query->rtable) {
    if (static_cast<const RangeTblEntry*>(lfirst(cell))->rtekind == RTE_JOIN) {
      lfirst(cell) = new_entry(RTE_RESULT, "*RESULT*", NIL);
    }
  }
  query->jointree = from;
}

namespace {

void add_in_order(const Node* from, List** numbers) {
  check_stack_depth();
  if (IsA(from, RangeTblRef)) {
    *numbers = lappend_int(*numbers, as<RangeTblRef>(from)->rtindex);
  } else if (IsA(from, JoinExpr)) {
    const auto* join = as<JoinExpr>(from);
    add_in_order(join->larg, numbers);
    add_in_order(join->rarg, numbers);
    if (join->rtindex > 0) *numbers = lappend_int(*numbers, join->rtindex);
  } else if (IsA(from, SetOperationStmt)) {
    const auto* operation = as<SetOperationStmt>(from);
    add_in_order(operation->larg, numbers);
    add_in_order(operation->rarg, numbers);
  } else {
    for (const auto* part : list<Node>(as<FromExpr>(from)->fromlist)) add_in_order(part, numbers);
  }
}

List* entries_named(const Query* query) {
  List* numbers = NIL;
  if (query->setOperations != nullptr) add_in_order(query->setOperations, &numbers);
  add_in_order(as<Node>(query->jointree), &numbers);
  const auto groups = static_cast<int>(entry_of_groups(query));
  return groups > 0 ? lappend_int(numbers, groups) : numbers;
}

}  // namespace

List* entries_that_count(Query* query) {
  if (query->setOperations != nullptr) return query->rtable;
  int last = 0;
  for (const int number : ints(entries_named(query))) last = Max(last, number);
  List* entries = list_truncate(list_copy(query->rtable), last);
  ListCell* cell;
  foreach (cell, entries) {
    const auto* entry = static_cast<const RangeTblEntry*>(lfirst(cell));
    const int number = foreach_current_index(cell) + 1;
    if (entry->rtekind != RTE_JOIN || names_column_of(query, number)) continue;
    lfirst(cell) = new_entry(RTE_RESULT, "*RESULT*", NIL);
  }
  return entries;
}

namespace {

struct Numbers {
  const int* now;  // by the number before
  Index depth;
};

// What ChangeVarNodes() does for one entry, for all.
bool change_numbers(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* numbers = static_cast<Numbers*>(context);
  if (IsA(node, Query)) {
    ++numbers->depth;
    (void)walk_query(as<Query>(node), change_numbers, context);
    --numbers->depth;
    return false;
  }
  if (IsA(node, Var) && as<Var>(node)->varlevelsup == numbers->depth) {
    change_entries_of(as<Var>(node), numbers->now);
  } else if (IsA(node, RangeTblRef) && numbers->depth == 0) {
    auto* reference = as<RangeTblRef>(node);
    reference->rtindex = numbers->now[reference->rtindex];
  } else if (IsA(node, JoinExpr) && numbers->depth == 0) {
    auto* join = as<JoinExpr>(node);
    join->rtindex = numbers->now[join->rtindex];
  }
  return walk_expression(node, change_numbers, context);
}

}  // namespace

void put_in_order_of_from(Query* query) {
  List* order = entries_named(query);
  const int count = list_length(query->rtable);
  Bitmapset* named = nullptr;
  for (const int number : ints(order)) named = bms_add_member(named, number);
  for (int number = 1; number <= count; ++number) {
    const bool has_rights = rt_fetch(number, query->rtable)->rtekind != RTE_RESULT;
    if (has_rights && !bms_is_member(number, named)) order = lappend_int(order, number);
  }
  auto* now = static_cast<int*>(palloc0(sizeof(int) * static_cast<size_t>(count + 1)));
  List* entries = NIL;
  for (const int number : ints(order)) {
    entries = lappend(entries, rt_fetch(number, query->rtable));
    now[number] = list_length(entries);
  }
  Numbers numbers{now, 0};
  (void)walk_query(query, change_numbers, &numbers);
  query->rtable = entries;
}

void drop_entries(Query* query, const Bitmapset* entries) {
  List* kept = NIL;
  int number = 0;
  for (auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (bms_is_member(++number, entries)) continue;
    kept = lappend(kept, entry);
    const int place = list_length(kept);
    if (place != number) ChangeVarNodes(as<Node>(query), number, place, 0);
  }
  const Query before = *query;
  drop_rights(query);
  for (auto* entry : list<RangeTblEntry>(kept)) move_rights(query, &before, entry);
  query->rtable = kept;
}

Query* put_together(Query* first, Query* second) {
  Query* query = new_query();
  List* names = names_of(first);
  auto* operation = makeNode(SetOperationStmt);
  operation->op = SETOP_UNION;
  operation->all = true;
  Query* sides[] = {first, second};
  for (Query* side : sides) {
    RangeTblEntry* entry =
        new_entry(RTE_SUBQUERY, side == first ? "*SELECT* 1" : "*SELECT* 2", list_copy(names));
    entry->subquery = side;
    query->rtable = lappend(query->rtable, entry);
    auto* reference = makeNode(RangeTblRef);
    reference->rtindex = list_length(query->rtable);
    (side == first ? operation->larg : operation->rarg) = as<Node>(reference);
  }
  for (const auto* entry : list<TargetEntry>(first->targetList)) {
    auto* node = as<Node>(entry->expr);
    operation->colTypes = lappend_oid(operation->colTypes, exprType(node));
    operation->colTypmods = lappend_int(operation->colTypmods, exprTypmod(node));
    operation->colCollations = lappend_oid(operation->colCollations, exprCollation(node));
    query->targetList = lappend(
        query->targetList, output(as<Node>(column_like(1, entry)), entry->resno, entry->resname));
  }
  query->setOperations = as<Node>(operation);
  query->jointree = makeFromExpr(NIL, nullptr);
  return query;
}

}  // namespace idp
