#include "extension/rewrite/plain_calls.h"

#include <initializer_list>

#include "extension/pg/in_place.h"
#include "extension/pg/outer_joins.h"
#include "extension/pg/fold.h"
#include "extension/pg/groups.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/ordered_calls.h"
#include "extension/rewrite/never_null.h"
#include "extension/rewrite/distinct_rows.h"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rangetypes.h"
}

namespace idp {

namespace {

// Ages are counted from the midnight that a day begins with, and are the same all day.
Node* age_by_date(FuncExpr* call) {
  const bool is_by_zone = call->funcid == F_AGE_TIMESTAMPTZ;
  auto* today = makeNode(SQLValueFunction);
  today->op = SVFOP_CURRENT_DATE;
  today->type = DATEOID;
  today->typmod = -1;
  today->location = -1;
  const Oid type = is_by_zone ? TIMESTAMPTZOID : TIMESTAMPOID;
  const Oid cast = is_by_zone ? F_TIMESTAMPTZ_DATE : F_TIMESTAMP_DATE;
  auto* midnight =
      makeFuncExpr(cast, type, list_make1(today), InvalidOid, InvalidOid, COERCE_IMPLICIT_CAST);
  call->args = lcons(midnight, call->args);
  call->funcid = is_by_zone ? F_AGE_TIMESTAMPTZ_TIMESTAMPTZ : F_AGE_TIMESTAMP_TIMESTAMP;
  return as<Node>(call);
}

// As concat() writes a value; null of a type whose cast to text writes it otherwise.
Node* written(Node* value, Oid collation) {
  switch (exprType(value)) {
    case TEXTOID:
      return value;
    case UNKNOWNOID:  // a literal
      if (!IsA(value, Const) || as<Const>(value)->constisnull) return nullptr;
      return as<Node>(makeConst(TEXTOID, -1, collation, -1,
                                CStringGetTextDatum(DatumGetCString(as<Const>(value)->constvalue)),
                                false, false));
    case VARCHAROID:
      return cast_to(value, TEXTOID, COERCE_IMPLICIT_CAST);
    case INT2OID:
    case INT4OID:
    case INT8OID:
    case NUMERICOID:
    case DATEOID: {
      auto* text = makeNode(CoerceViaIO);
      text->arg = as<Expr>(value);
      text->resulttype = TEXTOID;
      text->resultcollid = collation;
      text->coerceformat = COERCE_EXPLICIT_CAST;
      text->location = -1;
      return as<Node>(text);
    }
    default:
      return nullptr;
  }
}

Const* empty_text(Oid collation) {
  return makeConst(TEXTOID, -1, collation, -1, CStringGetTextDatum(""), false, false);
}

Node* without_null(Node* text, Oid collation) {
  if (IsA(text, Const) && !as<Const>(text)->constisnull) return text;
  return coalesced(text, as<Node>(empty_text(collation)));
}

Node* joined_texts(FuncExpr* call) {
  if (call->funcvariadic) return as<Node>(call);
  const Oid collation =
      OidIsValid(call->funccollid) ? call->funccollid : Oid{DEFAULT_COLLATION_OID};
  Node* joined = nullptr;
  for (auto* value : list<Node>(call->args)) {
    Node* text = written(value, collation);
    if (text == nullptr) return as<Node>(call);
    text = without_null(text, collation);
    joined = joined == nullptr ? text : operation("||", joined, text);
  }
  return joined == nullptr ? as<Node>(call) : joined;
}

// Those of the server, whose values are compared by its operators.
bool is_plain_range(Oid type) {
  return type == INT4RANGEOID || type == INT8RANGEOID || type == NUMRANGEOID ||
         type == DATERANGEOID || type == TSRANGEOID || type == TSTZRANGEOID;
}

Node* compared_with_bound(Node* value, const TypeCacheEntry* element, const RangeBound& bound) {
  const char* name = bound.lower ? (bound.inclusive ? ">=" : ">") : (bound.inclusive ? "<=" : "<");
  auto* constant = makeConst(element->type_id, -1, InvalidOid, element->typlen, bound.val, false,
                             element->typbyval);
  return operation(name, static_cast<Node*>(copyObjectImpl(value)), as<Node>(constant));
}

// Null if nothing bounds the values, or the range is no constant.
Node* compared_with_range(Node* value, const Node* range) {
  const auto* constant = maybe<Const>(folded(range));
  if (constant == nullptr || constant->constisnull || !is_plain_range(constant->consttype) ||
      contain_volatile_functions(value) || contain_subplans(value)) {
    return nullptr;
  }
  TypeCacheEntry* type = lookup_type_cache(constant->consttype, TYPECACHE_RANGE_INFO);
  RangeBound lower;
  RangeBound upper;
  bool is_empty = false;
  range_deserialize(type, DatumGetRangeTypeP(constant->constvalue), &lower, &upper, &is_empty);
  if (is_empty || exprType(value) != type->rngelemtype->type_id) return nullptr;
  Node* conditions = nullptr;
  for (const RangeBound* bound : {&lower, &upper}) {
    if (bound->infinite) continue;
    conditions = make_and_qual(conditions, compared_with_bound(value, type->rngelemtype, *bound));
  }
  return conditions;
}

Node* without_range(OpExpr* call) {
  Node* comparison = nullptr;
  if (get_opcode(call->opno) == F_ELEM_CONTAINED_BY_RANGE) {
    comparison = compared_with_range(static_cast<Node*>(linitial(call->args)),
                                     static_cast<Node*>(lsecond(call->args)));
  } else if (get_opcode(call->opno) == F_RANGE_CONTAINS_ELEM) {
    comparison = compared_with_range(static_cast<Node*>(lsecond(call->args)),
                                     static_cast<Node*>(linitial(call->args)));
  }
  return comparison == nullptr ? as<Node>(call) : comparison;
}

// count(DISTINCT CASE WHEN c THEN x END) is count(DISTINCT x) FILTER (WHERE c).
Node* filtered_count(Aggref* call) {
  auto* counted = static_cast<TargetEntry*>(linitial(call->args));
  const auto* choice = maybe<CaseExpr>(counted->expr);
  if (choice == nullptr || choice->arg != nullptr || list_length(choice->args) != 1) {
    return as<Node>(call);
  }
  const auto* otherwise = maybe<Const>(choice->defresult);
  if (otherwise == nullptr || !otherwise->constisnull) return as<Node>(call);
  const auto* when = static_cast<const CaseWhen*>(linitial(choice->args));
  counted->expr = when->result;
  call->aggfilter = as<Expr>(make_and_qual(as<Node>(call->aggfilter), as<Node>(when->expr)));
  return as<Node>(call);
}

// count(o) is count(*) of rows that no join puts NULL in place of.
Node* counted_rows(const Query* query, Aggref* call) {
  const auto* row = maybe<Var>(static_cast<const TargetEntry*>(linitial(call->args))->expr);
  if (call->agglevelsup > 0 || row == nullptr || row->varattno != InvalidAttrNumber ||
      row->varlevelsup > 0 || may_be_absent(query, static_cast<Index>(row->varno))) {
    return as<Node>(call);
  }
  Aggref* rows = aggregate_call(F_COUNT_, INT8OID, nullptr);
  rows->aggfilter = call->aggfilter;
  return as<Node>(rows);
}

// Whether functions that keep the order are called with a column.
bool is_ordered_column(const Node* value) {
  while (IsA(value, FuncExpr) && keeps_order(as<FuncExpr>(value))) {
    value = static_cast<const Node*>(llast(as<FuncExpr>(value)->args));
  }
  return IsA(value, Var);
}

// min(day::date) is min(day)::date: then what is aggregated is a column.
Node* end_of_column(Aggref* call) {
  const char* name = call->aggfnoid < FirstNormalObjectId ? get_func_name(call->aggfnoid) : "";
  const bool is_end = strcmp(name, "min") == 0 || strcmp(name, "max") == 0;
  if (!is_end || call->aggorder != NIL || call->agglevelsup > 0) return as<Node>(call);
  auto* argument = as<Node>(static_cast<TargetEntry*>(linitial(call->args))->expr);
  if (!IsA(argument, FuncExpr) || !is_ordered_column(argument)) return as<Node>(call);
  auto* outer = as<FuncExpr>(argument);
  ListCell* last = list_last_cell(outer->args);
  auto* value = static_cast<Node*>(lfirst(last));
  const Oid type = exprType(value);
  if (type != TIMESTAMPOID && type != TIMESTAMPTZOID && type != DATEOID) return as<Node>(call);
  const bool is_least = strcmp(name, "min") == 0;
  const Oid end = type == DATEOID        ? (is_least ? F_MIN_DATE : F_MAX_DATE)
                  : type == TIMESTAMPOID ? (is_least ? F_MIN_TIMESTAMP : F_MAX_TIMESTAMP)
                                         : (is_least ? F_MIN_TIMESTAMPTZ : F_MAX_TIMESTAMPTZ);
  Aggref* of_column = aggregate_call(end, type, value);
  of_column->aggfilter = call->aggfilter;
  lfirst(last) = end_of_column(of_column);
  return as<Node>(outer);
}

Node* plain_aggregate(const Query* query, Aggref* call) {
  if (call->aggfnoid == F_COUNT_ANY) {
    if (call->aggdistinct == NIL) return counted_rows(query, call);
    Node* count = filtered_count(call);
    return IsA(count, Aggref) ? count_of_rows(as<Aggref>(count)) : count;
  }
  return end_of_column(call);
}

// Patterns of which one, or all, are to fit: x LIKE ANY (ARRAY['a%', 'b%']).
Node* fitted_one_by_one(ScalarArrayOpExpr* whole) {
  constexpr int kMost = 100;
  const Oid function = get_opcode(whole->opno);
  if (function != F_TEXTLIKE && function != F_TEXTNLIKE && function != F_TEXTICLIKE &&
      function != F_TEXTICNLIKE && function != F_TEXTREGEXEQ && function != F_TEXTREGEXNE &&
      function != F_TEXTICREGEXEQ && function != F_TEXTICREGEXNE) {
    return as<Node>(whole);
  }
  auto* value = static_cast<Node*>(linitial(whole->args));
  const auto* patterns = maybe<Const>(folded(static_cast<Node*>(lsecond(whole->args))));
  if (patterns == nullptr || patterns->constisnull || contain_volatile_functions(value) ||
      contain_subplans(value)) {
    return as<Node>(whole);
  }
  ArrayType* array = DatumGetArrayTypeP(patterns->constvalue);
  Datum* elements;
  bool* nulls;
  int count;
  deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &count);
  if (count == 0 || count > kMost) return as<Node>(whole);
  List* parts = NIL;
  for (int i = 0; i < count; ++i) {
    Const* pattern = makeConst(TEXTOID, -1, whole->inputcollid, -1, elements[i], nulls[i], false);
    parts = lappend(
        parts, make_opclause(whole->opno, BOOLOID, false, static_cast<Expr*>(copyObjectImpl(value)),
                             as<Expr>(pattern), InvalidOid, whole->inputcollid));
  }
  if (count == 1) return static_cast<Node*>(linitial(parts));
  return as<Node>(makeBoolExpr(whole->useOr ? OR_EXPR : AND_EXPR, parts, -1));
}

bool is_one(const Node* distance) {
  const auto* constant = maybe<Const>(distance);
  return constant != nullptr && !constant->constisnull && constant->consttype == INT4OID &&
         DatumGetInt32(constant->constvalue) == 1;
}

// lag(x, 1) is lag(x), and lag(x, 1, y) of a column that is never NULL is coalesce(lag(x), y).
Node* neighbour(const Query* query, WindowFunc* call) {
  const bool is_before = call->winfnoid == F_LAG_ANYELEMENT_INT4 ||
                         call->winfnoid == F_LAG_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE;
  const bool is_after = call->winfnoid == F_LEAD_ANYELEMENT_INT4 ||
                        call->winfnoid == F_LEAD_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE;
  if (!(is_before || is_after) || !is_one(static_cast<Node*>(lsecond(call->args)))) {
    return as<Node>(call);
  }
  auto* value = static_cast<Node*>(linitial(call->args));
  Node* otherwise = list_length(call->args) == 3 ? static_cast<Node*>(lthird(call->args)) : nullptr;
  if (otherwise != nullptr &&
      (!is_never_null_column(query, value) || contain_volatile_functions(otherwise))) {
    return as<Node>(call);
  }
  call->winfnoid = is_before ? F_LAG_ANYELEMENT : F_LEAD_ANYELEMENT;
  call->args = list_make1(value);
  return otherwise == nullptr ? as<Node>(call) : coalesced(as<Node>(call), otherwise);
}

// --- the greatest of one value ---

// What tests of columns that are never NULL come to. context: the query.
Node* with_known_tests(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  const auto* test = maybe<NullTest>(node);
  if (test != nullptr && !test->argisrow &&
      is_never_null_column(static_cast<const Query*>(context), as<Node>(test->arg))) {
    return makeBoolConst(test->nulltesttype == IS_NOT_NULL, false);
  }
  return map_expression(node, with_known_tests, context);
}

// The value of min() and max() of one that all rows have, as MAX(CASE WHEN id IS NULL THEN 1 ELSE 0
// END) of Power BI is 0; null of any other call.
Node* value_of_all(const Query* query, const Aggref* call) {
  if (call->aggfnoid >= FirstNormalObjectId || call->aggfilter != nullptr ||
      call->agglevelsup > 0 || list_length(call->args) != 1) {
    return nullptr;
  }
  auto* argument = as<Node>(static_cast<TargetEntry*>(linitial(call->args))->expr);
  if (!IsA(argument, CaseExpr)) return nullptr;
  const char* name = get_func_name(call->aggfnoid);
  if (strcmp(name, "min") != 0 && strcmp(name, "max") != 0) return nullptr;
  Node* value = folded(with_known_tests(argument, const_cast<Query*>(query)));
  const auto* constant = maybe<Const>(value);
  return constant == nullptr || constant->constisnull ? nullptr : value;
}

bool find_other_aggregate(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return false;
  const auto* call = maybe<Aggref>(node);
  if (call == nullptr) return walk_expression(node, find_other_aggregate, context);
  return call->agglevelsup == 0 &&
         value_of_all(static_cast<const Query*>(context), call) == nullptr;
}

bool find_value_of_all(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return false;
  const auto* call = maybe<Aggref>(node);
  return (call != nullptr && value_of_all(static_cast<const Query*>(context), call) != nullptr) ||
         walk_expression(node, find_value_of_all, context);
}

Node* with_values_of_all(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  Node* value = IsA(node, Aggref)
                    ? value_of_all(static_cast<const Query*>(context), as<Aggref>(node))
                    : nullptr;
  return value != nullptr ? value : map_expression(node, with_values_of_all, context);
}

// Beside another aggregate, which says that rows are aggregated. A key without rows has the value,
// too, as it has a count of 0.
void take_values_of_all(Query* query) {
  if (!query->hasAggs || query->groupingSets != NIL) return;
  if (!find_value_of_all(as<Node>(query->targetList), query) &&
      !find_value_of_all(query->havingQual, query)) {
    return;
  }
  if (!find_other_aggregate(as<Node>(query->targetList), query) &&
      !find_other_aggregate(query->havingQual, query)) {
    return;
  }
  change_shown(query, [&](Node* shown) { return with_values_of_all(shown, query); });
}

// context: the query.
Node* with_plain_calls(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  Node* copy = map_in_place(node, with_plain_calls, context);
  if (IsA(copy, OpExpr)) return without_range(as<OpExpr>(copy));
  if (IsA(copy, ScalarArrayOpExpr)) return fitted_one_by_one(as<ScalarArrayOpExpr>(copy));
  if (IsA(copy, Aggref)) {
    return plain_aggregate(static_cast<const Query*>(context), as<Aggref>(copy));
  }
  if (IsA(copy, WindowFunc)) {
    return neighbour(static_cast<const Query*>(context), as<WindowFunc>(copy));
  }
  if (!IsA(copy, FuncExpr)) return copy;
  auto* call = as<FuncExpr>(copy);
  switch (call->funcid) {
    case F_AGE_TIMESTAMP:
    case F_AGE_TIMESTAMPTZ:
      return age_by_date(call);
    case F_CONCAT:
      return joined_texts(call);
    default:
      return copy;
  }
}

}  // namespace

void use_plain_calls(Query* query) {
  (void)map_query(query, with_plain_calls, query,
                  QTW_DONT_COPY_QUERY | QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES);
  take_values_of_all(query);
}

}  // namespace idp
