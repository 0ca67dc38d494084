#include "extension/pg/new_expressions.h"

#include "extension/pg/nodes.h"

extern "C" {
#include "parser/parse_coerce.h"
#include "parser/parse_oper.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

// That of a value as it was; that of its type now, if it had none.
void give_collation(Node* value, Oid before) {
  const Oid of_type = get_typcollation(exprType(value));
  if (!OidIsValid(of_type) || OidIsValid(exprCollation(value))) return;
  exprSetCollation(value, OidIsValid(before) ? before : of_type);
}

}  // namespace

Node* cast_to(Node* value, Oid type, CoercionForm form) {
  const Oid collation = exprCollation(value);
  Node* cast =
      coerce_to_target_type(nullptr, value, exprType(value), type, -1, COERCION_EXPLICIT, form, -1);
  if (cast != nullptr) give_collation(cast, collation);
  return cast;
}

Node* operation(const char* name, Node* left, Node* right) {
  List* qualified = list_make2(makeString(pstrdup("pg_catalog")), makeString(pstrdup(name)));
  const Oid of_left = exprCollation(left);
  const Oid collation = OidIsValid(of_left) ? of_left : exprCollation(right);
  auto* made = reinterpret_cast<OpExpr*>(make_op(nullptr, qualified, left, right, nullptr, -1));
  for (auto* argument : list<Node>(made->args)) give_collation(argument, collation);
  made->inputcollid = collation;
  give_collation(as<Node>(made), collation);
  return as<Node>(made);
}

}  // namespace idp
