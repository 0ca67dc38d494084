#include "extension/pg/fold.h"

#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"

extern "C" {
#include "access/transam.h"
#include "nodes/pathnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
}

namespace idp {

namespace {

bool is_of_others(Oid function, void*) {
  return function >= FirstNormalObjectId && !is_own_function(function);
}

// Not in queries below: those have expressions of their own.
bool find_call(Node* node, void*) {
  if (node == nullptr) return false;
  return check_functions_in_node(node, is_of_others, nullptr) ||
         walk_expression(node, find_call, nullptr);
}

bool find_call_at_all(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, Query)) return walk_query(as<Query>(node), find_call_at_all, nullptr);
  return check_functions_in_node(node, is_of_others, nullptr) ||
         walk_expression(node, find_call_at_all, nullptr);
}

// What a query is made of, besides expressions.
bool is_part_of_query(const Node* node) {
  switch (nodeTag(node)) {
    case T_List:
    case T_TargetEntry:
    case T_FromExpr:
    case T_JoinExpr:
    case T_RangeTblRef:
    case T_RangeTblEntry:
    case T_RangeTblFunction:
    case T_TableSampleClause:
    case T_TableFunc:
    case T_CommonTableExpr:
    case T_SetOperationStmt:
    case T_WindowClause:
    case T_SortGroupClause:
    case T_GroupingSet:
    case T_RowMarkClause:
    case T_WithCheckOption:
    case T_OnConflictExpr:
    case T_MergeAction:
      return true;
    default:
      return false;
  }
}

// As the planner does, one whole expression at a time: a branch of CASE that is not taken is not
// evaluated.
Node* settled(Node* node, void* root);

Node* with_settled_queries(Node* node, void* root) {
  if (node == nullptr) return nullptr;
  if (IsA(node, Query)) return as<Node>(map_query(as<Query>(node), settled, root));
  return map_expression(node, with_settled_queries, root);
}

Node* settled(Node* node, void* root) {
  if (node == nullptr) return nullptr;
  if (IsA(node, Query)) return as<Node>(map_query(as<Query>(node), settled, root));
  if (is_part_of_query(node)) return map_expression(node, settled, root);
  Node* expression = with_settled_queries(node, root);
  if (!find_call(expression, nullptr)) return expression;
  return eval_const_expressions(static_cast<PlannerInfo*>(root), expression);
}

}  // namespace

bool calls_others(Node* node) { return find_call_at_all(node, nullptr); }

void settle_calls(Query* query, ParamListInfo parameters, List** dependencies) {
  PlannerGlobal global{};
  global.type = T_PlannerGlobal;
  global.boundParams = parameters;
  PlannerInfo root{};
  root.type = T_PlannerInfo;
  root.glob = &global;
  root.parse = query;
  (void)map_query(query, settled, &root, QTW_DONT_COPY_QUERY);
  *dependencies = list_concat(*dependencies, global.invalItems);
}

Node* folded(const Node* expression) {
  auto* copy = static_cast<Node*>(copyObjectImpl(expression));
  return calls_others(copy) ? copy : eval_const_expressions(nullptr, copy);
}

}  // namespace idp
