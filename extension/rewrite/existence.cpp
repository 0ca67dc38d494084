#include "extension/rewrite/existence.h"

#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/rewrite/never_null.h"

extern "C" {
#include "access/stratnum.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

bool chooses_rows_alone(const Query* query) {
  return takes_only(query, step::kDistinct | step::kDistinctOn | step::kSubLinks) &&
         !contain_volatile_functions(as<Node>(query->targetList));
}

bool is_equality(const OpExpr* comparison, const Node* value) {
  return order_strategy(comparison->opno, exprType(value)) == BTEqualStrategyNumber;
}

bool make_existence(const Query* query, SubLink* link) {
  if (link->subLinkType != ANY_SUBLINK) return false;
  const auto* comparison = as<OpExpr>(link->testexpr);
  if (!IsA(comparison, OpExpr) || list_length(comparison->args) != 2 ||
      !IsA(lsecond(comparison->args), Param)) {
    return false;
  }
  auto* subquery = as<Query>(link->subselect);
  auto* value = static_cast<Node*>(linitial(comparison->args));
  if (!chooses_rows_alone(subquery) || list_length(subquery->targetList) != 1) return false;
  auto* found = as<Node>(static_cast<TargetEntry*>(linitial(subquery->targetList))->expr);
  if (!is_equality(comparison, value) || !is_never_null_column(query, value) ||
      !is_never_null_column(subquery, found)) {
    return false;
  }
  auto* equal = static_cast<OpExpr*>(copyObjectImpl(comparison));
  IncrementVarSublevelsUp(static_cast<Node*>(linitial(equal->args)), 1, 0);
  lsecond(equal->args) = copyObjectImpl(found);
  subquery->jointree->quals = make_and_qual(subquery->jointree->quals, as<Node>(equal));
  subquery->distinctClause = NIL;
  static_cast<TargetEntry*>(linitial(subquery->targetList))->ressortgroupref = 0;
  subquery->sortClause = NIL;
  link->subLinkType = EXISTS_SUBLINK;
  link->testexpr = nullptr;
  link->operName = NIL;
  return true;
}

}  // namespace idp
