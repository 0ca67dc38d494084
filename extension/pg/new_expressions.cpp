#include "extension/pg/new_expressions.h"

#include "extension/pg/nodes.h"

extern "C" {
#include "catalog/pg_aggregate.h"
#include "catalog/pg_collation.h"
#include "nodes/makefuncs.h"
#include "parser/parse_coerce.h"
#include "parser/parse_oper.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
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

Node* comparison(Node* left, int strategy, Node* right) {
  const Oid type = exprType(left);
  const Oid family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
  const Oid op = get_opfamily_member(family, type, type, static_cast<int16>(strategy));
  Expr* made =
      make_opclause(op, BOOLOID, false, as<Expr>(left), as<Expr>(right), InvalidOid, InvalidOid);
  set_opfuncid(as<OpExpr>(made));
  return as<Node>(made);
}

Var* column_like(int entry, AttrNumber number, const Node* value) {
  return makeVar(entry, number, exprType(value), exprTypmod(value), exprCollation(value), 0);
}

Var* column_like(int entry, const TargetEntry* given) {
  return column_like(entry, given->resno, as<Node>(given->expr));
}

Var* column_of_table(int entry, Oid table, AttrNumber number) {
  Oid type = InvalidOid;
  int32 typmod = -1;
  Oid collation = InvalidOid;
  get_atttypetypmodcoll(table, number, &type, &typmod, &collation);
  return makeVar(entry, number, type, typmod, collation, 0);
}

namespace {

struct Part {
  const Node* expression;
  const Var* column;
};

Node* replaced(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  const auto* part = static_cast<const Part*>(context);
  if (equal(node, part->expression)) return static_cast<Node*>(copyObjectImpl(part->column));
  return map_expression(node, replaced, context);
}

}  // namespace

Node* with_column(Node* expression, const Node* part, const Var* column) {
  Part replacing{part, column};
  return replaced(expression, &replacing);
}

Node* parameter_like(ParamKind kind, int number, const Node* value) {
  auto* parameter = makeNode(Param);
  parameter->paramkind = kind;
  parameter->paramid = number;
  parameter->paramtype = exprType(value);
  parameter->paramtypmod = exprTypmod(value);
  parameter->paramcollid = exprCollation(value);
  parameter->location = -1;
  return as<Node>(parameter);
}

Node* null_test(Node* value, NullTestType type) {
  auto* test = makeNode(NullTest);
  test->arg = as<Expr>(value);
  test->nulltesttype = type;
  test->location = -1;
  return as<Node>(test);
}

Node* scalar_subquery(Query* subquery) {
  auto* link = makeNode(SubLink);
  link->subLinkType = EXPR_SUBLINK;
  link->subselect = as<Node>(subquery);
  link->location = -1;
  return as<Node>(link);
}

Node* text_constant(const char* text) {
  return as<Node>(
      makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(text), false, false));
}

Node* integer(int32 value) {
  return as<Node>(
      makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(value), false, true));
}

Node* bigint(int64 value) {
  return as<Node>(makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(value), false,
                            FLOAT8PASSBYVAL));
}

Node* end_of(MinMaxOp op, Node* one, Node* other) {
  auto* made = makeNode(MinMaxExpr);
  made->minmaxtype = exprType(one);
  made->minmaxcollid = made->inputcollid = exprCollation(one);
  made->op = op;
  made->args = list_make2(one, other);
  made->location = -1;
  return as<Node>(made);
}

Node* between(Node* value, Node* lower, Node* upper) {
  return end_of(IS_LEAST, end_of(IS_GREATEST, value, lower), upper);
}

Node* where(Node* condition, Node* value) {
  if (condition == nullptr) return value;
  Node* none = reinterpret_cast<Node*>(makeNullConst(exprType(value), -1, InvalidOid));
  return cases(nullptr, with_when(NIL, condition, value), none);
}

Node* coalesced(Node* value, Node* otherwise) {
  auto* made = makeNode(CoalesceExpr);
  made->coalescetype = exprType(otherwise);
  made->coalescecollid = exprCollation(otherwise);
  made->args = list_make2(value, otherwise);
  made->location = -1;
  return as<Node>(made);
}

List* with_when(List* whens, Node* condition, Node* result) {
  auto* made = makeNode(CaseWhen);
  made->expr = as<Expr>(condition);
  made->result = as<Expr>(result);
  made->location = -1;
  return lappend(whens, made);
}

Node* cases(Node* argument, List* whens, Node* otherwise) {
  auto* made = makeNode(CaseExpr);
  made->casetype = exprType(otherwise);
  made->casecollid = exprCollation(otherwise);
  made->arg = as<Expr>(argument);
  made->args = whens;
  made->defresult = as<Expr>(otherwise);
  made->location = -1;
  return as<Node>(made);
}

Aggref* aggregate_call(Oid function, Oid type, Node* argument) {
  auto* call = makeNode(Aggref);
  call->aggfnoid = function;
  call->aggtype = type;
  call->aggkind = AGGKIND_NORMAL;
  call->aggsplit = AGGSPLIT_SIMPLE;
  call->aggno = call->aggtransno = -1;
  call->location = -1;
  call->aggstar = argument == nullptr;
  if (argument != nullptr) {
    call->args = list_make1(makeTargetEntry(as<Expr>(argument), 1, nullptr, false));
    call->aggargtypes = list_make1_oid(exprType(argument));
  }
  return call;
}

}  // namespace idp
