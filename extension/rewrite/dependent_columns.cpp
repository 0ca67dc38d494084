#include "extension/rewrite/dependent_columns.h"

#include "extension/domain/key_conditions.h"
#include "extension/domain/key_origin.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/plan/group_functions.h"
#include "extension/pg/versions.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "parser/parse_clause.h"
#include "parser/parse_oper.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

struct Search {
  const List* keys;  // of Node
  Index depth;       // of the query that is walked, below the one that groups
  List* found;       // of Var, each once
};

// Columns of rows outside aggregates that are no keys: the server has seen that they follow from
// these.
bool find_dependent(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* search = static_cast<Search*>(context);
  if (search->depth == 0 && list_member(search->keys, node)) return false;
  if (IsA(node, Var)) {
    const auto* column = as<Var>(node);
    if (column->varlevelsup != search->depth) return false;
    auto* own = static_cast<Var*>(copyObjectImpl(column));
    own->varlevelsup = 0;
    if (!list_member(search->keys, own)) search->found = list_append_unique(search->found, own);
    return false;
  }
  if (IsA(node, Aggref) && as<Aggref>(node)->agglevelsup == search->depth) {
    return find_dependent(as<Node>(as<Aggref>(node)->aggdirectargs), context);
  }
  if (!IsA(node, Query)) return walk_expression(node, find_dependent, context);
  ++search->depth;
  (void)walk_query(as<Query>(node), find_dependent, context);
  --search->depth;
  return false;
}

// By its type alone; null if it has no order, or no equality.
SortGroupClause* clause_of(Node* value) {
  auto* clause = makeNode(SortGroupClause);
  get_sort_group_operators(exprType(value), false, false, false, &clause->sortop, &clause->eqop,
                           nullptr, &clause->hashable);
  return OidIsValid(clause->sortop) && OidIsValid(clause->eqop) ? clause : nullptr;
}

void add_key(Query* query, Node* column, SortGroupClause* clause) {
  TargetEntry* target = tlist_member(as<Expr>(column), query->targetList);
  if (target == nullptr) {
    const auto number = static_cast<AttrNumber>(list_length(query->targetList) + 1);
    target =
        makeTargetEntry(as<Expr>(column), number, name_of_column(query, as<Var>(column)), true);
    query->targetList = lappend(query->targetList, target);
  }
  clause->tleSortGroupRef = assignSortGroupRef(target, query->targetList);
  query->groupClause = lappend(query->groupClause, clause);
}

bool find_extreme(Node* node, void*) {
  if (node == nullptr || IsA(node, Query)) return false;
  return column_of_one(node) != nullptr || walk_expression(node, find_extreme, nullptr);
}

struct Extremes {
  const Query* query;
  const List* keys;
  bool any = false;
};

// The column in place of its least and greatest value in each group, which has one.
Node* without_extremes(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  auto* extremes = static_cast<Extremes*>(context);
  const Var* column = column_of_one(node);
  const bool is_one = column != nullptr && as<Aggref>(node)->aggfilter == nullptr &&
                      column->varlevelsup == 0 &&
                      (list_member(extremes->keys, column) ||
                       follows_from_keys(as<Node>(const_cast<Var*>(column)), extremes->keys,
                                         extremes->query->rtable));
  if (!is_one) return map_expression(node, without_extremes, context);
  extremes->any = true;
  return static_cast<Node*>(copyObjectImpl(column));
}

// With the columns that all rows have the same values of: of r.id where c.region_id is a key, and
// the join is on r.id = c.region_id.
List* keys_and_equals(const Query* query) {
  List* keys = list_copy(get_sortgrouplist_exprs(query->groupClause, query->targetList));
  for (const auto* condition : list<Node>(conditions_of_rows(query))) {
    if (!IsA(condition, OpExpr) || list_length(as<OpExpr>(condition)->args) != 2) continue;
    const auto* comparison = as<OpExpr>(condition);
    auto* left = static_cast<Node*>(linitial(comparison->args));
    auto* right = static_cast<Node*>(lsecond(comparison->args));
    if (!IsA(left, Var) || !IsA(right, Var) ||
        !op_mergejoinable(comparison->opno, exprType(left))) {
      continue;
    }
    if (list_member(keys, left)) keys = list_append_unique(keys, right);
    if (list_member(keys, right)) keys = list_append_unique(keys, left);
  }
  return keys;
}

// Whether there were any.
bool drop_extremes(Query* query) {
  if (!query->hasAggs || !find_extreme(as<Node>(query->targetList), nullptr)) return false;
  Extremes extremes{query, keys_and_equals(query)};
  change_shown(query, [&](Node* shown) { return without_extremes(shown, &extremes); });
  if (extremes.any) {
    query->hasAggs = contain_aggs_of_level(as<Node>(query->targetList), 0) ||
                     contain_aggs_of_level(query->havingQual, 0);
  }
  return extremes.any;
}

}  // namespace

void group_by_dependent_columns(Query* query) {
  const bool groups =
      query->groupClause != NIL && query->groupingSets == NIL && query->commandType == CMD_SELECT;
  if (!groups) return;
  put_groups_in_place(query);
  if (!drop_extremes(query) && query->constraintDeps == NIL) return;
  Search search{get_sortgrouplist_exprs(query->groupClause, query->targetList), 0, NIL};
  (void)find_dependent(as<Node>(query->targetList), &search);
  (void)find_dependent(query->havingQual, &search);
  List* clauses = NIL;
  for (auto* column : list<Node>(search.found)) {
    SortGroupClause* clause = as<Var>(column)->varattno > 0 ? clause_of(column) : nullptr;
    if (clause == nullptr) return;
    clauses = lappend(clauses, clause);
  }
  ListCell* column;
  ListCell* clause;
  forboth(column, search.found, clause, clauses) {
    add_key(query, static_cast<Node*>(lfirst(column)),
            static_cast<SortGroupClause*>(lfirst(clause)));
  }
  query->constraintDeps = NIL;
}

}  // namespace idp
