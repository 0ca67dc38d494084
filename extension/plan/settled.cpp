#include "extension/plan/settled.h"

extern "C" {
#include "nodes/makefuncs.h"
}

namespace idp {

namespace {

// Where the parser notes the place of an expression, which is -1 if unknown.
constexpr int kPlace = -2;

Const* constant_of(const Node* expression, const NullableDatum& value) {
  const Oid type = exprType(expression);
  int16 length;
  bool by_value;
  get_typlenbyval(type, &length, &by_value);
  return makeConst(type, exprTypmod(expression), exprCollation(expression), length, value.value,
                   value.isnull, by_value);
}

Node* map_to_unsettled(Node* node, void*) {
  if (node == nullptr) return nullptr;
  if (!is_settled(node)) return map_expression(node, map_to_unsettled, nullptr);
  return static_cast<Node*>(copyObjectImpl(reinterpret_cast<CaseExpr*>(node)->defresult));
}

}  // namespace

Node* settled(Node* expression, const NullableDatum& value) {
  auto* when = makeNode(CaseWhen);
  when->expr = reinterpret_cast<Expr*>(makeBoolConst(true, false));
  when->result = reinterpret_cast<Expr*>(constant_of(expression, value));
  when->location = -1;
  auto* choice = makeNode(CaseExpr);
  choice->casetype = exprType(expression);
  choice->casecollid = exprCollation(expression);
  choice->args = list_make1(when);
  choice->defresult = reinterpret_cast<Expr*>(expression);
  choice->location = kPlace;
  return reinterpret_cast<Node*>(choice);
}

bool is_settled(const Node* expression) {
  return IsA(expression, CaseExpr) &&
         reinterpret_cast<const CaseExpr*>(expression)->location == kPlace;
}

Node* with_unsettled(Node* expression) { return map_to_unsettled(expression, nullptr); }

}  // namespace idp
