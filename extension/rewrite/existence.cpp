#include "extension/rewrite/existence.h"

#include "extension/pg/catalog_lookup.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/rewrite/never_null.h"

extern "C" {
#include "access/stratnum.h"
#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

Node* with_any(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  Node* copy = map_expression(node, with_any, context);
  auto* link = maybe<SubLink>(copy);
  if (link == nullptr || link->subLinkType != ALL_SUBLINK || !IsA(link->testexpr, OpExpr)) {
    return copy;
  }
  auto* comparison = as<OpExpr>(link->testexpr);
  const Oid opposite = get_negator(comparison->opno);
  if (!OidIsValid(opposite) || comparison->opno >= FirstNormalObjectId) return copy;
  comparison->opno = opposite;
  comparison->opfuncid = get_opcode(opposite);
  link->subLinkType = ANY_SUBLINK;
  link->operName = list_make1(makeString(get_opname(opposite)));
  return as<Node>(makeBoolExpr(NOT_EXPR, list_make1(link), -1));
}

}  // namespace

void write_all_as_any(Query* query) {
  if (!query->hasSubLinks) return;
  change_shown(query, [](Node* shown) { return with_any(shown, nullptr); });
  query->jointree = as<FromExpr>(with_any(as<Node>(query->jointree), nullptr));
}

bool chooses_rows_alone(const Query* query) {
  return takes_only(query, step::kDistinct | step::kDistinctOn | step::kSubLinks) &&
         !contain_volatile_functions(as<Node>(query->targetList));
}

bool is_equality(const OpExpr* comparison, const Node* value) {
  return order_strategy(comparison->opno, exprType(value)) == BTEqualStrategyNumber;
}

namespace {

bool is_never_null(const Query* query, const Node* value) {
  const Node* bare = without_relabels(value);
  if (const auto* constant = maybe<Const>(bare)) return !constant->constisnull;
  return is_never_null_column(query, bare);
}

}  // namespace

Node* with_found(Node* node, void* found) {
  if (node == nullptr) return nullptr;
  if (IsA(node, Param) && as<Param>(node)->paramkind == PARAM_SUBLINK) {
    return static_cast<Node*>(copyObjectImpl(found));
  }
  return map_expression(node, with_found, found);
}

bool make_existence(const Query* query, SubLink* link, bool chooses_rows) {
  if (link->subLinkType != ANY_SUBLINK) return false;
  const auto* comparison = as<OpExpr>(link->testexpr);
  if (!IsA(comparison, OpExpr) || list_length(comparison->args) != 2 ||
      !IsA(without_relabels(static_cast<Node*>(lsecond(comparison->args))), Param)) {
    return false;
  }
  auto* subquery = as<Query>(link->subselect);
  auto* value = static_cast<Node*>(linitial(comparison->args));
  if (!chooses_rows_alone(subquery) || list_length(subquery->targetList) != 1) return false;
  auto* found = as<Node>(static_cast<TargetEntry*>(linitial(subquery->targetList))->expr);
  if (order_strategy(comparison->opno, exprType(value)) == 0) return false;
  const bool is_known =
      chooses_rows || (is_never_null(query, value) && is_never_null(subquery, found));
  if (!is_known) return false;
  auto* equal = static_cast<OpExpr*>(copyObjectImpl(comparison));
  IncrementVarSublevelsUp(static_cast<Node*>(linitial(equal->args)), 1, 0);
  lsecond(equal->args) = with_found(static_cast<Node*>(lsecond(equal->args)), found);
  subquery->jointree->quals = make_and_qual(subquery->jointree->quals, as<Node>(equal));
  subquery->hasSubLinks |= checkExprHasSubLink(as<Node>(equal));
  subquery->distinctClause = NIL;
  static_cast<TargetEntry*>(linitial(subquery->targetList))->ressortgroupref = 0;
  subquery->sortClause = NIL;
  link->subLinkType = EXISTS_SUBLINK;
  link->testexpr = nullptr;
  link->operName = NIL;
  return true;
}

}  // namespace idp
