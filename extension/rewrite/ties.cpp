#include "extension/rewrite/ties.h"

#include "extension/plan/used_columns.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"

namespace idp {

namespace {

bool is_tie(Node* condition, Tie* tie, Index level) {
  Var* first = nullptr;
  Var* second = nullptr;
  if (!equates_columns(condition, &first, &second)) return false;
  auto* equality = as<OpExpr>(condition);
  *tie = first->varlevelsup == 0 ? Tie{equality, first, second} : Tie{equality, second, first};
  return tie->own->varlevelsup == 0 && tie->own->varattno > 0 && tie->outer->varlevelsup == level &&
         tie->outer->varattno > 0;
}

}  // namespace

bool take_tie(Query* subquery, Tie* tie, Index level) {
  List* conditions = conjuncts(subquery->jointree->quals);
  ListCell* cell;
  foreach (cell, conditions) {
    if (!is_tie(static_cast<Node*>(lfirst(cell)), tie, level)) continue;
    conditions = foreach_delete_current(conditions, cell);
    subquery->jointree->quals = joined_by_and(conditions);
    return !names_outer_columns(subquery);
  }
  return false;
}

bool groups_by_tie(const Query* subquery, const Tie& tie) {
  if (subquery->groupClause == NIL) return true;
  const auto* key = static_cast<const Node*>(linitial(grouped_expressions(subquery)));
  return list_length(subquery->groupClause) == 1 && IsA(key, Var) &&
         is_same_column(as<Var>(key), tie.own);
}

const Node* shown_by(const Query* query) {
  const Node* value = nullptr;
  for (const auto* target : list<TargetEntry>(query->targetList)) {
    if (target->resjunk) continue;
    if (value != nullptr) return nullptr;
    value = as<Node>(target->expr);
  }
  return value;
}

}  // namespace idp
