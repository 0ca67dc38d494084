#include "extension/rewrite/key_conditions.h"

#include "extension/pg/expression_kinds.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/statement_room.h"
#include "extension/pg/versions.h"
#include "extension/plan/used_columns.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

// The side of a comparison by = that is no value, where the other one is; or null.
Node* compared_with_value(Node* condition) {
  if (!IsA(condition, OpExpr)) return nullptr;
  const auto* comparison = as<OpExpr>(condition);
  if (list_length(comparison->args) != 2) return nullptr;
  auto* left = static_cast<Node*>(linitial(comparison->args));
  auto* right = static_cast<Node*>(lsecond(comparison->args));
  if (!op_mergejoinable(comparison->opno, exprType(left))) return nullptr;
  if (is_same_for_all_rows(right)) return left;
  return is_same_for_all_rows(left) ? right : nullptr;
}

bool is_key(const Query* query, const Node* value) {
  return list_member(grouped_expressions(query), value);
}

bool has_plain_groups(const Query* query) {
  constexpr unsigned kSteps = step::kAggregates | step::kGroups | step::kHaving;
  return query->groupClause != NIL && takes_only(query, kSteps);
}

// Parts of a condition that move() takes are left out of it.
template <class Move>
Node* without_moved(Node* condition, Move move) {
  List* left = NIL;
  for (auto* part : list<Node>(make_ands_implicit(as<Expr>(condition)))) {
    if (!move(part)) left = lappend(left, part);
  }
  return joined_by_and(left);
}

void add_to(Node*& condition, Node* part) { condition = make_and_qual(condition, part); }

// HAVING of a key.
void put_having_below(Query* query) {
  if (query->havingQual == nullptr || !has_plain_groups(query)) return;
  put_groups_in_place(query);
  query->havingQual = without_moved(query->havingQual, [&](Node* part) {
    const Node* key = compared_with_value(part);
    if (key == nullptr || !is_key(query, key)) return false;
    add_to(query->jointree->quals, part);
    return true;
  });
}

bool reads_directly(const Query* query, int number) {
  for (const auto* item : list<Node>(query->jointree->fromlist)) {
    if (IsA(item, RangeTblRef) && as<RangeTblRef>(item)->rtindex == number) return true;
  }
  return false;
}

// The groups that a column of the query is of, and the key that it is; or null.
Query* groups_of(const Query* query, const Node* value, Node** key) {
  const auto* column = maybe<Var>(value);
  if (column == nullptr || column->varlevelsup > 0 || column->varattno <= 0) return nullptr;
  RangeTblEntry* entry = rt_fetch(column->varno, query->rtable);
  if (entry->rtekind != RTE_SUBQUERY || entry->lateral || entry->security_barrier ||
      entry->securityQuals != NIL || !reads_directly(query, static_cast<int>(column->varno)) ||
      !has_plain_groups(entry->subquery)) {
    return nullptr;
  }
  put_groups_in_place(entry->subquery);
  const TargetEntry* target = column_shown(entry->subquery->targetList, column->varattno);
  if (target == nullptr || !is_key(entry->subquery, as<Node>(target->expr))) return nullptr;
  *key = as<Node>(target->expr);
  return entry->subquery;
}

bool put_around_below(const Query* query, Node* part) {
  Node* column = compared_with_value(part);
  Node* key = nullptr;
  Query* groups = column == nullptr ? nullptr : groups_of(query, column, &key);
  if (groups == nullptr) return false;
  auto* comparison = as<OpExpr>(static_cast<Node*>(copyObjectImpl(part)));
  const bool is_left = equal(linitial(comparison->args), column);
  ListCell* side = is_left ? list_head(comparison->args) : list_second_cell(comparison->args);
  lfirst(side) = copyObjectImpl(key);
  add_to(groups->havingQual, as<Node>(comparison));
  return true;
}

}  // namespace

void put_key_conditions_below(Query* query) {
  if (query->commandType != CMD_SELECT || query->jointree == nullptr) return;
  put_having_below(query);
  if (query->jointree->quals == nullptr) return;
  query->jointree->quals = without_moved(query->jointree->quals,
                                         [&](Node* part) { return put_around_below(query, part); });
}

}  // namespace idp
