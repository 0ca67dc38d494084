#include "extension/rewrite/text_places.h"

#include "extension/domain/ranges.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

// An enum below a cast to text; null of anything else.
Node* with_labels(Node* value) {
  if (!IsA(value, CoerceViaIO)) return nullptr;
  auto* of = as<Node>(as<CoerceViaIO>(value)->arg);
  return type_is_enum(exprType(of)) && exprType(value) == TEXTOID ? of : nullptr;
}

struct Order {
  FmgrInfo* compare;
  Oid collation;
};

// The values of a domain, as an aggregate takes them; false if everybody may not know them.
bool values_of(const QueryLevel& level, Node* value, Datum** values, int* count) {
  Node* labelled = with_labels(value);
  auto* column = const_cast<Node*>(without_relabels(labelled != nullptr ? labelled : value));
  const Const* keys = listed_keys(level, column);
  if (keys == nullptr) return false;
  const Oid type = get_element_type(keys->consttype);
  int16 length;
  bool by_value;
  char alignment;
  get_typlenbyvalalign(type, &length, &by_value, &alignment);
  deconstruct_array(DatumGetArrayTypeP(keys->constvalue), type, length, by_value, alignment, values,
                    nullptr, count);
  if (labelled == nullptr) return type == exprType(value);
  for (int i = 0; i < *count; ++i) {
    (*values)[i] =
        CStringGetTextDatum(DatumGetCString(DirectFunctionCall1(enum_out, (*values)[i])));
  }
  return true;
}

}  // namespace

TextPlaces places_of_texts(const QueryLevel& level, Node* value) {
  const Oid type = exprType(value);
  if (type != TEXTOID && type != BPCHAROID && !type_is_enum(type)) return {};
  Datum* texts;
  int count;
  if (!values_of(level, value, &texts, &count)) return {};
  const Oid collation = exprCollation(value);
  TypeCacheEntry* known = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO);
  Order order{&known->cmp_proc_finfo, collation};
  qsort_arg(
      texts, static_cast<size_t>(count), sizeof(Datum),
      [](const void* a, const void* b, void* context) {
        const auto* order = static_cast<const Order*>(context);
        return DatumGetInt32(FunctionCall2Coll(order->compare, order->collation,
                                               *static_cast<const Datum*>(a),
                                               *static_cast<const Datum*>(b)));
      },
      &order);
  int16 length;
  bool by_value;
  get_typlenbyval(type, &length, &by_value);
  TextPlaces places{};
  List* whens = NIL;
  for (int i = 0; i < count; ++i) {
    Const* text = makeConst(type, -1, collation, length, texts[i], false, by_value);
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
  const auto* first = static_cast<const Const*>(linitial(places.texts));
  Node* none = as<Node>(makeNullConst(first->consttype, -1, first->constcollid));
  return static_cast<Node*>(copyObjectImpl(cases(place, whens, none)));
}

}  // namespace idp
