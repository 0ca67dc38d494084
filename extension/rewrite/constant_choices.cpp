#include "extension/rewrite/constant_choices.h"

#include "extension/pg/expression_kinds.h"
#include "extension/pg/fold.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/outer_joins.h"
#include "extension/pg/query_steps.h"
#include "extension/plan/used_columns.h"
#include "extension/rewrite/constant_lists.h"
#include "extension/rewrite/existence.h"

extern "C" {
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

// --- the list ---

// What the elements of an array are shown of: SELECT unnest(…), SELECT x FROM unnest(…) x; null if
// there is more to it.
Node* only_array(const Query* query) {
  if (list_length(query->targetList) != 1 || query->jointree->quals != nullptr) return nullptr;
  auto* shown = as<Node>(static_cast<TargetEntry*>(linitial(query->targetList))->expr);
  if (query->jointree->fromlist != NIL) {
    const int number = only_entry(query);
    const auto* column = maybe<Var>(shown);
    if (number == 0 || column == nullptr || column->varlevelsup > 0 || column->varattno != 1 ||
        !takes_only(query, 0)) {
      return nullptr;
    }
    const RangeTblEntry* entry = rt_fetch(number, query->rtable);
    if (entry->rtekind != RTE_FUNCTION || list_length(entry->functions) != 1) return nullptr;
    shown = static_cast<RangeTblFunction*>(linitial(entry->functions))->funcexpr;
  } else if (!takes_only(query, step::kSetFunctions)) {
    return nullptr;
  }
  const auto* call = maybe<FuncExpr>(shown);
  if (call == nullptr || call->funcid != F_UNNEST_ANYARRAY) return nullptr;
  auto* array = static_cast<Node*>(linitial(call->args));
  const bool is_constant = is_same_for_all_rows(array) && !contain_mutable_functions(array) &&
                           !checkExprHasSubLink(array);
  return is_constant ? folded(array) : nullptr;
}

// Of the values that a comparison has on its right side for each row of the list; null if these are
// no constants.
Node* array_of(Query* query, Node* compared) {
  auto* entry = makeNode(RangeTblEntry);
  entry->rtekind = RTE_SUBQUERY;
  entry->subquery = query;
  auto* array = makeNode(ArrayExpr);
  array->element_typeid = exprType(compared);
  array->array_typeid = get_array_type(array->element_typeid);
  array->array_collid = exprCollation(compared);
  array->location = -1;
  if (!OidIsValid(array->array_typeid)) return nullptr;
  for (const auto* row : list<List>(rows_of_list(entry))) {
    if (list_length(row) != 1) return nullptr;
    Node* value = folded(with_found(compared, linitial(row)));
    if (!IsA(value, Const)) return nullptr;
    array->elements = lappend(array->elements, value);
  }
  return array->elements == NIL ? nullptr : folded(as<Node>(array));
}

// --- the comparison ---

// Null where the subquery gives something else than constants. Of no array nothing is known where
// of no row nothing is equal: that is the same where a row is chosen by it.
Node* compared_with_array(const SubLink* link, bool chooses_rows) {
  if (link->subLinkType != ANY_SUBLINK || !IsA(link->testexpr, OpExpr)) return nullptr;
  const auto* test = as<OpExpr>(link->testexpr);
  if (list_length(test->args) != 2) return nullptr;
  auto* compared = static_cast<Node*>(lsecond(test->args));
  auto* subquery = as<Query>(link->subselect);
  Node* array = IsA(compared, Param) ? only_array(subquery) : nullptr;
  const auto* constant = maybe<Const>(array);
  const bool is_known = constant != nullptr ? !constant->constisnull : chooses_rows;
  if (array == nullptr || !is_known) array = array_of(subquery, compared);
  if (array == nullptr) return nullptr;
  auto* comparison = makeNode(ScalarArrayOpExpr);
  comparison->opno = test->opno;
  comparison->opfuncid = get_opcode(test->opno);
  comparison->useOr = true;
  comparison->inputcollid = test->inputcollid;
  comparison->args = list_make2(linitial(test->args), array);
  comparison->location = -1;
  return as<Node>(comparison);
}

Node* with_arrays(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  if (IsA(node, SubLink)) {
    Node* comparison = compared_with_array(as<SubLink>(node), false);
    if (comparison != nullptr) return comparison;
  }
  return map_expression(node, with_arrays, context);
}

void choose_by_arrays(FromExpr* from) {
  List* conditions = NIL;
  for (auto* condition : list<Node>(conjuncts(from->quals))) {
    const auto* link = maybe<SubLink>(condition);
    Node* comparison = link == nullptr ? nullptr : compared_with_array(link, true);
    conditions = lappend(conditions, comparison == nullptr ? condition : comparison);
  }
  from->quals = joined_by_and(conditions);
}

}  // namespace

void compare_with_constants(Query* query) {
  if (!query->hasSubLinks || query->jointree == nullptr) return;
  choose_by_arrays(query->jointree);
  change_shown(query, [](Node* shown) { return with_arrays(shown, nullptr); });
  query->jointree = as<FromExpr>(with_arrays(as<Node>(query->jointree), nullptr));
  query->hasSubLinks = checkExprHasSubLink(as<Node>(query));
}

}  // namespace idp
