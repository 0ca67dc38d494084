#include "extension/plan/settled.h"

#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "utils/datum.h"
}

namespace idp {

namespace {

// Where the parser notes the place of an expression, which is -1 if unknown.
constexpr int kPlace = -2;

Const* constant_of(Node* expression, EState* state) {
  const Oid type = exprType(expression);
  int16 length;
  bool by_value;
  get_typlenbyval(type, &length, &by_value);
  ExprState* compiled = ExecInitExprWithParams(as<Expr>(expression), state->es_param_list_info);
  bool is_null = false;
  Datum value = ExecEvalExprSwitchContext(compiled, GetPerTupleExprContext(state), &is_null);
  if (!is_null) {
    value = length == -1 ? PointerGetDatum(PG_DETOAST_DATUM_COPY(value))
                         : datumCopy(value, by_value, length);
  }
  return makeConst(type, exprTypmod(expression), exprCollation(expression), length, value, is_null,
                   by_value);
}

// What has a value only within a larger expression, or for a row.
bool find_part(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, Var) || IsA(node, CaseTestExpr) || IsA(node, CoerceToDomainValue)) return true;
  return walk_expression(node, find_part, nullptr);
}

Node* map_to_unsettled(Node* node, void*) {
  if (node == nullptr) return nullptr;
  if (!is_settled(node)) return map_expression(node, map_to_unsettled, nullptr);
  return static_cast<Node*>(copyObjectImpl(as<CaseExpr>(node)->defresult));
}

}  // namespace

Node* settled(Node* expression, EState* state) {
  auto* when = makeNode(CaseWhen);
  when->expr = as<Expr>(makeBoolConst(true, false));
  when->result = as<Expr>(constant_of(expression, state));
  when->location = -1;
  auto* choice = makeNode(CaseExpr);
  choice->casetype = exprType(expression);
  choice->casecollid = exprCollation(expression);
  choice->args = list_make1(when);
  choice->defresult = as<Expr>(expression);
  choice->location = kPlace;
  return as<Node>(choice);
}

bool has_own_value(Node* expression) {
  if (IsA(expression, List) || IsA(expression, CaseWhen) || is_settled(expression)) return false;
  const bool is_known = IsA(expression, MinMaxExpr) || IsA(expression, SQLValueFunction) ||
                        only_calls_functions(expression);
  return is_known && !expression_returns_set(expression) && !find_part(expression, nullptr) &&
         !type_is_rowtype(exprType(expression));
}

bool is_settled(const Node* expression) {
  return IsA(expression, CaseExpr) && as<CaseExpr>(expression)->location == kPlace;
}

Node* with_unsettled(Node* expression) { return map_to_unsettled(expression, nullptr); }

}  // namespace idp
