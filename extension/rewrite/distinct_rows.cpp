#include "extension/rewrite/distinct_rows.h"

#include "extension/pg/keys.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "catalog/pg_collation.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_oper.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

Node* copied(const Node* node) { return static_cast<Node*>(copyObjectImpl(node)); }

// Null if values that are equal may have different texts.
Node* text_of(Node* value) {
  if (!has_one_form(exprType(value), exprTypmod(value), exprCollation(value))) return nullptr;
  Node* text = cast_to(value, TEXTOID, COERCE_EXPLICIT_CAST);
  if (text == nullptr) return nullptr;
  auto* length = makeFuncExpr(F_LENGTH_TEXT, INT4OID, list_make1(copied(text)), InvalidOid,
                              DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL);
  Node* head =
      operation("||", cast_to(as<Node>(length), TEXTOID, COERCE_EXPLICIT_CAST), text_constant(":"));
  return coalesced(operation("||", head, text), text_constant("-"));
}

}  // namespace

Node* count_of_rows(Aggref* call) {
  if (call->aggfnoid != F_COUNT_ANY || call->aggdistinct == NIL || call->agglevelsup > 0) {
    return as<Node>(call);
  }
  auto* counted = static_cast<TargetEntry*>(linitial(call->args));
  if (!IsA(counted->expr, RowExpr)) return as<Node>(call);
  const auto* row = reinterpret_cast<RowExpr*>(counted->expr);
  Node* whole = nullptr;
  for (auto* value : list<Node>(row->args)) {
    Node* text = contain_volatile_functions(value) ? nullptr : text_of(copied(value));
    if (text == nullptr) return as<Node>(call);
    whole = whole == nullptr ? text : operation("||", whole, text);
  }
  if (whole == nullptr) return as<Node>(call);
  counted->expr = as<Expr>(whole);
  call->aggargtypes = list_make1_oid(TEXTOID);
  auto* clause = static_cast<SortGroupClause*>(linitial(call->aggdistinct));
  get_sort_group_operators(TEXTOID, true, true, false, &clause->sortop, &clause->eqop, nullptr,
                           &clause->hashable);
  call->inputcollid = exprCollation(whole);
  return as<Node>(call);
}

}  // namespace idp
