#include "extension/rewrite/compared_answers.h"

#include "extension/access/hidden.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/plan/used_columns.h"
#include "extension/rewrite/given_rows.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
}

namespace idp {

namespace {

bool is_answer(Query* query) {
  return gives_one_row(query) && query->hasAggs && !names_outer_columns(query) &&
         names_hidden_table_anywhere(query);
}

// left = ANY (SELECT …), by another operator too, as left = (SELECT …), which has the same value
// but where there is no row: NULL in place of false, and no condition holds by either.
Node* compared_with_value(Node* condition) {
  const auto* list = maybe<SubLink>(condition);
  if (list == nullptr || list->subLinkType != ANY_SUBLINK || list->testexpr == nullptr) {
    return condition;
  }
  const auto* test = IsA(list->testexpr, OpExpr) ? as<OpExpr>(list->testexpr) : nullptr;
  if (test == nullptr || list_length(test->args) != 2) return condition;
  const auto* shown = maybe<Param>(static_cast<Node*>(lsecond(test->args)));
  const bool is_column = shown != nullptr && shown->paramkind == PARAM_SUBLINK;
  if (!is_column || !is_answer(as<Query>(list->subselect))) return condition;
  auto* comparison = static_cast<OpExpr*>(copyObjectImpl(test));
  lsecond(comparison->args) = scalar_subquery(as<Query>(list->subselect));
  return as<Node>(comparison);
}

}  // namespace

bool gives_one_row(const Query* query) {
  if (query->hasAggs && query->groupClause == NIL && query->groupingSets == NIL &&
      !query->hasTargetSRFs) {
    return true;
  }
  const auto* limit = maybe<Const>(query->limitCount);
  return limit != nullptr && !limit->constisnull && limit->consttype == INT8OID &&
         DatumGetInt64(limit->constvalue) == 1 && query->limitOption == LIMIT_OPTION_COUNT;
}

void compare_with_values(const QueryLevel& level) {
  Query* query = level.query;
  if (!query->hasSubLinks || query->jointree == nullptr || query->jointree->quals == nullptr ||
      !reads_rows(level)) {
    return;
  }
  List* conditions = NIL;
  for (auto* condition : list<Node>(conjuncts(query->jointree->quals))) {
    conditions = lappend(conditions, compared_with_value(condition));
  }
  query->jointree->quals = as<Node>(make_ands_explicit(conditions));
}

}  // namespace idp
