#include "extension/rewrite/text_places.h"

#include <algorithm>

#include "extension/domain/ranges.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
}

namespace idp {

namespace {

Node* number(int value) {
  return as<Node>(
      makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(value), false, true));
}

// argument: null where conditions name it themselves.
Node* cases(Oid type, Oid collation, Node* argument, List* whens) {
  auto* made = makeNode(CaseExpr);
  made->casetype = type;
  made->casecollid = collation;
  made->arg = as<Expr>(argument);
  made->args = whens;
  made->defresult = as<Expr>(makeNullConst(type, -1, collation));
  made->location = -1;
  return static_cast<Node*>(copyObjectImpl(made));  // each node once
}

List* with_case(List* whens, Node* condition, Node* result) {
  auto* made = makeNode(CaseWhen);
  made->expr = as<Expr>(condition);
  made->result = as<Expr>(result);
  made->location = -1;
  return lappend(whens, made);
}

}  // namespace

TextPlaces places_of_texts(const Level& level, Node* value) {
  if (exprType(value) != TEXTOID) return {};
  Node* column = IsA(value, RelabelType) ? as<Node>(as<RelabelType>(value)->arg) : value;
  const Const* keys = listed_keys(level, column);
  if (keys == nullptr) return {};
  const Oid collation = exprCollation(value);
  Datum* texts;
  int count;
  deconstruct_array(DatumGetArrayTypeP(keys->constvalue), TEXTOID, -1, false, TYPALIGN_INT, &texts,
                    nullptr, &count);
  std::sort(texts, texts + count, [&](Datum a, Datum b) {
    return DatumGetBool(DirectFunctionCall2Coll(text_lt, collation, a, b));
  });
  TextPlaces places{};
  List* whens = NIL;
  for (int i = 0; i < count; ++i) {
    Const* text = makeConst(TEXTOID, -1, collation, -1, texts[i], false, false);
    whens = with_case(whens, operation("=", value, as<Node>(text)), number(i + 1));
    places.texts = lappend(places.texts, text);
  }
  places.place = cases(INT4OID, InvalidOid, nullptr, whens);
  return places;
}

Node* text_at(const TextPlaces& places, Node* place) {
  auto* asked = makeNode(CaseTestExpr);
  asked->typeId = INT4OID;
  asked->typeMod = -1;
  List* whens = NIL;
  int count = 0;
  for (auto* text : list<Node>(places.texts)) {
    whens = with_case(whens, operation("=", as<Node>(asked), number(++count)), text);
  }
  return cases(TEXTOID, exprCollation(static_cast<const Node*>(linitial(places.texts))), place,
               whens);
}

}  // namespace idp
