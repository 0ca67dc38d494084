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

TextPlaces places_of_texts(const QueryLevel& level, Node* value) {
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
    whens = with_when(whens, operation("=", value, as<Node>(text)), integer(i + 1));
    places.texts = lappend(places.texts, text);
  }
  Node* none = as<Node>(makeNullConst(INT4OID, -1, InvalidOid));
  places.place = static_cast<Node*>(copyObjectImpl(cases(nullptr, whens, none)));  // each node once
  return places;
}

Node* text_at(const TextPlaces& places, Node* place) {
  auto* asked = makeNode(CaseTestExpr);
  asked->typeId = INT4OID;
  asked->typeMod = -1;
  List* whens = NIL;
  int count = 0;
  for (auto* text : list<Node>(places.texts)) {
    whens = with_when(whens, operation("=", as<Node>(asked), integer(++count)), text);
  }
  const Oid collation = exprCollation(static_cast<const Node*>(linitial(places.texts)));
  Node* none = as<Node>(makeNullConst(TEXTOID, -1, collation));
  return static_cast<Node*>(copyObjectImpl(cases(place, whens, none)));
}

}  // namespace idp
