#include "extension/pg/zone_comparisons.h"

#include "extension/pg/fold.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "access/transam.h"
#include "nodes/makefuncs.h"
}

namespace idp {

namespace {

// Where the parser notes the place of an expression, which is -1 if unknown.
constexpr int kPlace = -3;

bool is_changing(Oid op) { return op_volatile(op) != PROVOLATILE_IMMUTABLE; }

bool compares_by_zone(const Node* node) {
  switch (nodeTag(node)) {
    case T_OpExpr:
    case T_DistinctExpr:
    case T_NullIfExpr: {
      const auto* call = reinterpret_cast<const OpExpr*>(node);
      return call->opresulttype == BOOLOID && is_changing(call->opno);
    }
    case T_ScalarArrayOpExpr:
      return is_changing(reinterpret_cast<const ScalarArrayOpExpr*>(node)->opno);
    case T_RowCompareExpr:
      for (const Oid op : oids(reinterpret_cast<const RowCompareExpr*>(node)->opnos)) {
        if (is_changing(op)) return true;
      }
      return false;
    default:
      return false;
  }
}

// Or may be replaced by what does.
bool may_compare_by_zone(Node* node) {
  return calls_text_of_others(node) || compares_by_zone(node);
}

// Not what a subquery compares: that is a condition of its own.
bool find_comparison(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, SubLink)) return find_comparison(as<SubLink>(node)->testexpr, nullptr);
  return may_compare_by_zone(node) || walk_expression(node, find_comparison, nullptr);
}

// Whether rows pass if its arguments are true, or one of them.
bool is_and_or(const Node* node) {
  return IsA(node, BoolExpr) && reinterpret_cast<const BoolExpr*>(node)->boolop != NOT_EXPR;
}

// Whether it stays what it is, whatever the planner puts in place of columns of subqueries: what
// gives one of its arguments, or is the same as one, may become a comparison of times.
bool stays_as_it_is(const Node* condition) {
  const auto is_of_truth = [](const Node* value) { return exprType(value) == BOOLOID; };
  switch (nodeTag(condition)) {
    case T_Const:
    case T_FuncExpr:  // whose text is not put in its place
    case T_NullTest:
    case T_Aggref:
    case T_GroupingFunc:
    case T_WindowFunc:
      return true;
    case T_OpExpr:
      for (const auto* argument : list<Node>(reinterpret_cast<const OpExpr*>(condition)->args)) {
        if (is_of_truth(argument)) return false;
      }
      return true;
    case T_ScalarArrayOpExpr:
      return !is_of_truth(
          static_cast<const Node*>(linitial(as<ScalarArrayOpExpr>(condition)->args)));
    case T_BoolExpr:  // NOT EXISTS
      return IsA(linitial(as<BoolExpr>(condition)->args), SubLink);
    default:
      return false;
  }
}

Node* hidden(Node* condition) {
  check_stack_depth();
  if (condition == nullptr) return nullptr;
  ListCell* cell;
  if (IsA(condition, List) || is_and_or(condition)) {
    List* parts = IsA(condition, List) ? as<List>(condition) : as<BoolExpr>(condition)->args;
    foreach (cell, parts) lfirst(cell) = hidden(static_cast<Node*>(lfirst(cell)));
    return condition;
  }
  if (IsA(condition, SubLink)) {  // may become a join by that
    auto* link = as<SubLink>(condition);
    if (link->subLinkType == ANY_SUBLINK) link->testexpr = hidden(link->testexpr);
    return condition;
  }
  if (stays_as_it_is(condition) && !find_comparison(condition, nullptr)) return condition;
  auto* test = makeNode(BooleanTest);
  test->arg = as<Expr>(condition);
  test->booltesttype = IS_TRUE;
  test->location = kPlace;
  return as<Node>(test);
}

// --- full joins ---
//
// The server joins fully by equalities that it can sort or hash by alone. A time of clocks is equal
// to an instant if it is that instant by the zone of the session: so it is cast, and instants are
// compared, which is an equivalence.

Node* as_instant(Node* value) {
  return exprType(value) == TIMESTAMPTZOID ? value
                                           : cast_to(value, TIMESTAMPTZOID, COERCE_IMPLICIT_CAST);
}

Node* between_instants(Node* node, void*) {
  if (node == nullptr || IsA(node, SubLink)) return node;
  if (!IsA(node, OpExpr)) return map_expression(node, between_instants, nullptr);
  const auto* call = as<OpExpr>(node);
  const char* name = call->opno < FirstNormalObjectId ? get_opname(call->opno) : "";
  if (strcmp(name, "=") != 0 || !is_changing(call->opno)) return node;
  Node* left = as_instant(static_cast<Node*>(linitial(call->args)));
  Node* right = as_instant(static_cast<Node*>(lsecond(call->args)));
  return left == nullptr || right == nullptr ? node : operation("=", left, right);
}

bool visit(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, Query)) {
    auto* query = as<Query>(node);
    query->havingQual = hidden(query->havingQual);
    for (auto* entry : list<RangeTblEntry>(query->rtable)) {
      entry->securityQuals = as<List>(hidden(as<Node>(entry->securityQuals)));
    }
    return walk_query(query, visit, nullptr);
  }
  if (IsA(node, FromExpr)) {
    auto* from = as<FromExpr>(node);
    from->quals = hidden(from->quals);
  } else if (IsA(node, JoinExpr)) {
    auto* join = as<JoinExpr>(node);
    if (join->jointype == JOIN_FULL) join->quals = between_instants(join->quals, nullptr);
    join->quals = hidden(join->quals);
  }
  return walk_expression(node, visit, nullptr);
}

}  // namespace

void hide_zone_comparisons(Query* query) {
  if (find_zone_comparison(as<Node>(query), nullptr)) (void)visit(as<Node>(query), nullptr);
}

bool find_zone_comparison(Node* node, void*) {
  if (node == nullptr || IsA(node, Var) || IsA(node, Const)) return false;
  if (IsA(node, Query)) return walk_query(as<Query>(node), find_zone_comparison, nullptr);
  return may_compare_by_zone(node) || walk_expression(node, find_zone_comparison, nullptr);
}

bool find_seen_comparison(Node* node, void*) {
  if (node == nullptr) return false;
  return compares_by_zone(node) || walk_expression(node, find_seen_comparison, nullptr);
}

Node* without_hiding(Node* condition) {
  if (IsA(condition, BooleanTest)) {
    const auto* test = reinterpret_cast<const BooleanTest*>(condition);
    return test->location == kPlace ? as<Node>(test->arg) : condition;
  }
  if (!is_and_or(condition)) return condition;
  auto* all = static_cast<BoolExpr*>(copyObjectImpl(condition));
  ListCell* cell;
  foreach (cell, all->args) lfirst(cell) = without_hiding(static_cast<Node*>(lfirst(cell)));
  return as<Node>(all);
}

}  // namespace idp
