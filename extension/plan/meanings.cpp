#include "extension/plan/meanings.h"

#include "extension/plan/new_query.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/pg/unions.h"
#include "extension/plan/gate.h"
#include "extension/plan/identity.h"
#include "extension/plan/recorded_question.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
}

namespace idp {

namespace {

// --- which subqueries can be told without their columns ---

// Finds what belongs to a query around the one that is walked. context: how many queries are around
// the place, up to that one.
bool find_outer(Node* node, void* context) {
  if (node == nullptr) return false;
  const Index depth = *static_cast<Index*>(context);
  if (IsA(node, Query)) {
    Index below = depth + 1;
    return walk_query(as<Query>(node), find_outer, &below);
  }
  if (IsA(node, Var)) return as<Var>(node)->varlevelsup > depth;
  if (IsA(node, Aggref) && as<Aggref>(node)->agglevelsup > depth) return true;
  if (IsA(node, GroupingFunc) && reinterpret_cast<GroupingFunc*>(node)->agglevelsup > depth) {
    return true;
  }
  return walk_expression(node, find_outer, context);
}

bool depends_on_outer(Query* query) {
  Index depth = 0;
  return walk_query(query, find_outer, &depth);
}

bool can_be_told_apart(Query* query) {
  if (query->commandType != CMD_SELECT || query->utilityStmt != nullptr) return false;
  if (query->hasSubLinks || query->hasTargetSRFs || query->hasRecursive || query->hasModifyingCTE ||
      query->hasForUpdate) {
    return false;
  }
  if (query->distinctClause != NIL || query->rowMarks != NIL || query->cteList != NIL ||
      query->groupingSets != NIL || depends_on_outer(query)) {
    return false;
  }
  if (query->setOperations == nullptr) return true;
  return parts_of_union(query->setOperations, UnionKind::kAll) != NIL && query->sortClause == NIL &&
         query->limitCount == nullptr && query->limitOffset == nullptr;
}

// --- windows ---

// What divides or orders a window: each clause, with the expression that it names.
List* with_expressions(const List* clauses, List* targets) {
  List* all = NIL;
  for (auto* clause : list<SortGroupClause>(clauses)) {
    auto* by = static_cast<SortGroupClause*>(copyObjectImpl(clause));
    by->tleSortGroupRef = 0;
    all = lappend(all, list_make2(by, get_sortgroupclause_expr(clause, targets)));
  }
  return all;
}

// Puts the window beside each function over one. context: the query.
Node* beside_window(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  Node* same = map_expression(node, beside_window, context);
  if (!IsA(node, WindowFunc)) return same;
  auto* call = reinterpret_cast<WindowFunc*>(same);
  const auto* query = static_cast<const Query*>(context);
  for (const auto* clause : list<WindowClause>(query->windowClause)) {
    if (clause->winref != call->winref) continue;
    auto* window = static_cast<WindowClause*>(copyObjectImpl(clause));
    window->name = nullptr;
    window->refname = nullptr;
    window->copiedOrder = false;
    window->winref = 0;
    List* parts = with_expressions(window->partitionClause, query->targetList);
    List* order = with_expressions(window->orderClause, query->targetList);
    window->partitionClause = NIL;
    window->orderClause = NIL;
    call->winref = 0;
    return as<Node>(list_make4(call, window, parts, order));
  }
  elog(ERROR, "a window is missing");
}

bool is_named(const List* clauses, Index reference) {
  for (const auto* clause : list<SortGroupClause>(clauses)) {
    if (clause->tleSortGroupRef == reference) return true;
  }
  return false;
}

// The query, whose windows are said where they are used: they do not change which rows there are.
// To be read by identity_of() and by nobody else.
Query* without_windows(Query* query) {
  if (query->windowClause == NIL) return query;
  auto* same = static_cast<Query*>(copyObjectImpl(query));
  same->targetList = as<List>(beside_window(as<Node>(query->targetList), query));
  same->windowClause = NIL;
  same->hasWindowFuncs = false;
  for (auto* target : list<TargetEntry>(same->targetList)) {
    const Index reference = target->ressortgroupref;
    if (is_named(same->groupClause, reference) || is_named(same->sortClause, reference)) continue;
    target->ressortgroupref = 0;
  }
  return same;
}

// --- columns ---

const List* of_entry(const List* meanings, int number) {
  if (number < 1 || number > list_length(meanings)) return NIL;
  return static_cast<const List*>(list_nth(meanings, number - 1));
}

Node* told(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Var)) return map_expression(node, told, context);
  const auto* var = as<Var>(node);
  const List* columns = of_entry(static_cast<const List*>(context), static_cast<int>(var->varno));
  if (var->varlevelsup != 0 || columns == NIL) return static_cast<Node*>(copyObjectImpl(node));
  auto* place = static_cast<Var*>(copyObjectImpl(node));
  place->varattno = 0;
  place->varnosyn = 0;
  place->varattnosyn = 0;
  // a row as a whole is all of its columns, and so is what is not known
  const bool is_column = var->varattno > 0 && var->varattno <= list_length(columns);
  const void* meaning = is_column ? list_nth(columns, var->varattno - 1) : columns;
  return reinterpret_cast<Node*>(
      list_make3(place, makeInteger(is_column ? 0 : var->varattno), const_cast<void*>(meaning)));
}

// A short text tells as much as its digest, which takes longer to make. None looks like a digest:
// that of a node begins with a brace, a parenthesis or a quotation mark.
Node* digest_node(const void* node) {
  constexpr size_t kShort = 400;
  char* identity = identity_of(node);
  return as<Node>(makeString(strlen(identity) <= kShort && !says_parameter(identity)
                                 ? identity
                                 : digest_of_text(identity)));
}

// Of a SELECT, for each of its columns.
List* columns_of_select(const Query* query, const List* below) {
  List* columns = NIL;
  for (const auto* target : list<TargetEntry>(query->targetList)) {
    columns = lappend(columns, digest_node(by_meaning(as<Node>(target->expr), below)));
  }
  return columns;
}

// What a member has in a column; its place where that is all that is known.
Node* of_member(const List* columns, int number) {
  if (columns == NIL) return as<Node>(makeInteger(number));
  return static_cast<Node*>(list_nth(columns, number));
}

// Of UNION ALL: what each member has there. Empty if one has fewer columns.
List* columns_of_union(const Query* query, const List* below) {
  const List* members = parts_of_union(query->setOperations, UnionKind::kAll);
  List* columns = NIL;
  for (int i = 0; i < list_length(query->targetList); ++i) {
    const auto* target = static_cast<const TargetEntry*>(list_nth(query->targetList, i));
    List* parts = list_make1(makeInteger(static_cast<int>(exprType(as<Node>(target->expr)))));
    for (const int member : ints(members)) {
      const List* own = of_entry(below, member);
      if (own != NIL && list_length(own) <= i) return NIL;
      parts = lappend(parts, of_member(own, i));
    }
    columns = lappend(columns, digest_node(parts));
  }
  return columns;
}

// What the entries of queries mean, which is asked for their columns and for their rows. Queries
// are known by where they are: nothing changes, or goes away, while this is used.
class KnownMeanings {
 public:
  List* of(const List* entries);
  List* entries(const List* entries, const List* meanings);

 private:
  struct OfQuery {
    const Query* query;
    List* meanings;
  };

  // Of the entries of a query.
  List* below(const Query* query);
  List* columns_of(Query* query);
  Query* rows_of(Query* query);

  List* known_ = NIL;  // of OfQuery
};

List* KnownMeanings::below(const Query* query) {
  for (const auto* known : list<OfQuery>(known_)) {
    if (known->query == query) return known->meanings;
  }
  auto* found = static_cast<OfQuery*>(palloc(sizeof(OfQuery)));
  *found = {query, of(query->rtable)};
  known_ = lappend(known_, found);
  return found->meanings;
}

List* KnownMeanings::columns_of(Query* query) {
  check_stack_depth();
  if (!can_be_told_apart(query)) return NIL;
  const List* below = this->below(query);
  return query->setOperations != nullptr ? columns_of_union(query, below)
                                         : columns_of_select(without_windows(query), below);
}

// --- rows ---

void forget_columns(Node* node) {
  if (!IsA(node, SetOperationStmt)) return;
  auto* operation = reinterpret_cast<SetOperationStmt*>(node);
  operation->colTypes = NIL;
  operation->colTypmods = NIL;
  operation->colCollations = NIL;
  forget_columns(operation->larg);
  forget_columns(operation->rarg);
}

// What groups and sorts rows.
List* clauses_in(const List* targets) {
  List* clauses = NIL;
  for (auto* target : list<TargetEntry>(targets)) {
    if (target->ressortgroupref != 0) clauses = lappend(clauses, target);
  }
  return clauses;
}

void say_only_clauses(const List* targets) {
  for (auto* target : list<TargetEntry>(targets)) {
    target->resno = 0;
    target->resname = nullptr;
    target->resorigtbl = InvalidOid;
    target->resorigcol = 0;
    target->resjunk = false;
  }
}

// What a condition joins by AND, in one order, but for what is always true.
Node* in_order(Node* condition) {
  List* parts = NIL;
  for (auto* part : list<Node>(conjuncts(condition))) {
    if (!is_constant_condition(part, true)) parts = lappend(parts, part);
  }
  return as<Node>(list_length(parts) > 1 ? in_order_of_identity(parts) : parts);
}

// Likewise of all conditions in a part of FROM.
void put_in_order(Node* from) {
  if (from == nullptr) return;
  check_stack_depth();
  if (IsA(from, FromExpr)) {
    as<FromExpr>(from)->quals = in_order(as<FromExpr>(from)->quals);
    for (auto* part : list<Node>(as<FromExpr>(from)->fromlist)) put_in_order(part);
  } else if (IsA(from, JoinExpr)) {
    as<JoinExpr>(from)->quals = in_order(as<JoinExpr>(from)->quals);
    put_in_order(as<JoinExpr>(from)->larg);
    put_in_order(as<JoinExpr>(from)->rarg);
  }
}

// A query whose columns are known by what they mean, without them.
Query* KnownMeanings::rows_of(Query* query) {
  check_stack_depth();
  const List* below = this->below(query);
  query = without_windows(query);
  Query parts = *query;
  parts.rtable = NIL;  // they are told by themselves
  parts.targetList = clauses_in(query->targetList);
  Query* rows = map_query(&parts, told, const_cast<List*>(below), QTW_IGNORE_RT_SUBQUERIES);
  rows->rtable = entries(entries_that_count(query), below);
  rows->canSetTag = true;        // CTEs have none
  rows->hasRowSecurity = false;  // its conditions are told
  say_only_clauses(rows->targetList);
  put_in_order(reinterpret_cast<Node*>(rows->jointree));
  if (rows->setOperations != nullptr) forget_columns(rows->setOperations);
  return rows;
}

List* KnownMeanings::of(const List* entries) {
  List* meanings = NIL;
  bool is_known = true;
  for (const auto* entry : list<RangeTblEntry>(entries)) is_known = is_known && !entry->lateral;
  for (const auto* entry : list<RangeTblEntry>(entries)) {
    const bool is_subquery =
        is_known && entry->rtekind == RTE_SUBQUERY && entry->subquery != nullptr;
    meanings = lappend(meanings, is_subquery ? columns_of(entry->subquery) : NIL);
  }
  return meanings;
}

// Entries without what identity_of() leaves out anyway, and without subqueries that are told as
// rows.
List* parts_of_entries(const List* entries, const List* meanings) {
  List* parts = NIL;
  int number = 0;
  for (const auto* entry : list<RangeTblEntry>(entries)) {
    auto* part = static_cast<RangeTblEntry*>(palloc(sizeof(RangeTblEntry)));
    *part = *entry;
    part->alias = nullptr;
    part->eref = nullptr;
    if (of_entry(meanings, ++number) != NIL) part->subquery = nullptr;
    parts = lappend(parts, part);
  }
  return parts;
}

List* KnownMeanings::entries(const List* entries, const List* meanings) {
  Query query = {};  // whose entries may name columns of others: those of joins do
  query.type = T_Query;
  query.rtable = parts_of_entries(entries, meanings);
  List* all =
      map_query(&query, told, const_cast<List*>(meanings), QTW_IGNORE_RT_SUBQUERIES)->rtable;
  int number = 0;
  for (auto* entry : list<RangeTblEntry>(all)) {
    if (of_entry(meanings, ++number) != NIL) {
      entry->subquery =
          rows_of(static_cast<RangeTblEntry*>(list_nth(entries, number - 1))->subquery);
    }
    // views of the owner's read the same rows without it
    entry->securityQuals = without_gates(entry->securityQuals);
    if (entry->rtekind == RTE_SUBQUERY) {  // a view is what it reads, whichever one it is
      entry->relid = InvalidOid;
      entry->relkind = '\0';
      entry->rellockmode = 0;
    }
  }
  return all;
}

}  // namespace

LevelMeanings meanings_of_level(const List* entries) {
  KnownMeanings known;
  List* meanings = known.of(entries);
  return {meanings, known.entries(entries, meanings)};
}

bool has_meanings(const List* meanings) {
  for (const auto* columns : list<List>(meanings)) {
    if (columns != NIL) return true;
  }
  return false;
}

Node* by_meaning(const Node* expression, const List* meanings) {
  return told(const_cast<Node*>(expression), const_cast<List*>(meanings));
}

namespace {

Node* with_digests(Node* node, void* context) {
  if (node == nullptr || IsA(node, String) || IsA(node, Integer)) return node;  // told by meaning
  const auto* parameter = maybe<Param>(node);
  if (parameter == nullptr) return map_expression(node, with_digests, context);
  if (parameter->paramkind != PARAM_EXEC) return node;
  for (auto* subquery : list<List>(static_cast<List*>(context))) {
    auto* number = static_cast<Node*>(list_nth(subquery, recorded::kNumber));
    const char* digest = strVal(list_nth(subquery, recorded::kDigest));
    if (intVal(number) == parameter->paramid && *digest != '\0') {
      return as<Node>(makeString(pstrdup(digest)));
    }
  }
  return node;
}

}  // namespace

Node* by_digest(Node* expression, List* subqueries) {
  return subqueries == NIL ? expression : with_digests(expression, subqueries);
}

}  // namespace idp
