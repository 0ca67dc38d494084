#include "extension/rewrite/counterparts.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "extension/pg/fold.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/ordered_calls.h"
#include "extension/rewrite/private_call.h"
#include "extension/rewrite/text_places.h"
#include "extension/rewrite/unit_ranges.h"
#include "extension/domain/key_images.h"
#include "extension/domain/key_origin.h"
#include "extension/domain/ordered_time.h"
#include "extension/domain/ranges.h"
#include "extension/domain/session_zone.h"
#include "extension/access/plain_settings.h"
#include "extension/pg/versions.h"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

// A plain call: its only argument, null of count(*), and where it stands.
struct Plain {
  const QueryLevel& level;
  const Aggref* call;
  Node* argument;
};

List* with_epsilon(Node* argument) {
  return list_make2(argument, float_constant(epsilon_of_answers()));
}

Node* node_of(Aggref* call) { return as<Node>(call); }

// An argument as private aggregates take it: a text, or the value of a domain as its base type.
// Values of an enum are equal as their labels are, those of character(n) as they are without
// blanks.
Node* taken(const Node* argument) {
  auto* copy = static_cast<Node*>(copyObjectImpl(argument));
  const Oid base = getBaseType(exprType(copy));
  const bool is_text = base == VARCHAROID || base == BPCHAROID || type_is_enum(base);
  const Oid type = is_text ? Oid{TEXTOID} : base;
  if (type == exprType(copy)) return copy;
  return as_type(copy, type);
}

// --- counts ---

Node* count_rows(const Plain& plain, Node* counted) {
  Aggref* call =
      private_call("dp_count", plain.call, list_make1(float_constant(epsilon_of_answers())));
  if (call == nullptr) return nullptr;
  if (counted != nullptr) {
    Node* test = null_test(static_cast<Node*>(copyObjectImpl(counted)), IS_NOT_NULL);
    call->aggfilter = as<Expr>(make_and_qual(as<Node>(call->aggfilter), test));
  }
  return never_negative(plain.call, node_of(call));
}

bool is_one(const Node* node) {
  if (!IsA(node, Const)) return false;
  const auto* constant = as<Const>(node);
  return constant->consttype == INT4OID && !constant->constisnull &&
         DatumGetInt32(constant->constvalue) == 1;
}

bool is_value(const Node* node) { return IsA(node, Const) && !as<Const>(node)->constisnull; }

Node* count(const Plain& plain) {
  if (plain.argument == nullptr) return count_rows(plain, nullptr);
  if (plain.call->aggdistinct == NIL) {
    return count_rows(plain, is_value(plain.argument) ? nullptr : plain.argument);
  }
  Aggref* call = private_call("dp_count_distinct", plain.call, with_epsilon(taken(plain.argument)));
  return call == nullptr ? nullptr : never_negative(plain.call, node_of(call));
}

// --- of numbers ---

// The same of bounds that everybody may know, or else of ones that are found.
Aggref* call_over_numbers(const char* name, const Plain& plain, const std::optional<Range>& range) {
  List* arguments = with_epsilon(taken(plain.argument));
  if (range) {
    arguments = lappend(arguments, range->lower);
    arguments = lappend(arguments, range->upper);
  }
  return private_call(name, plain.call, arguments);
}

Node* sum(const Plain& plain) {
  if (is_one(plain.argument)) return count_rows(plain, nullptr);
  const std::optional<Range> range = range_of_number(plain.level, plain.argument);
  Aggref* call = call_over_numbers("dp_sum", plain, range);
  if (call == nullptr) return nullptr;
  Node* answer = as_type_of(plain.call, node_of(call));
  return range && is_never_negative(*range) ? never_negative(plain.call, answer) : answer;
}

Node* moment(const char* name, const Plain& plain) {
  Aggref* call = call_over_numbers(name, plain, range_of_number(plain.level, plain.argument));
  return call == nullptr ? nullptr : as_type_of(plain.call, node_of(call));
}

Node* average(const Plain& plain) { return moment("dp_avg", plain); }
Node* deviation(const Plain& plain) { return moment("dp_stddev", plain); }
Node* variance(const Plain& plain) { return moment("dp_variance", plain); }

// --- of order ---

// Where the least and the greatest value are asked for: at an end itself noise would lead to any
// value beyond it.
constexpr double kInsideEnd = 0.005;

// percentile_cont takes numbers as double precision; the column has the better grid.
Node* without_cast_to_float(Node* value) {
  if (!IsA(value, FuncExpr)) return value;
  const auto* cast = as<FuncExpr>(value);
  const bool is_cast = cast->funcformat == COERCE_IMPLICIT_CAST &&
                       cast->funcresulttype == FLOAT8OID && list_length(cast->args) == 1;
  return is_cast ? static_cast<Node*>(linitial(cast->args)) : value;
}

Node* quantile(const Plain& plain, Node* value, double fraction) {
  std::optional<Range> range = range_of(plain.level, value);
  if (!range) range = range_of_summary(plain.level, value);
  if (!range) return nullptr;
  List* arguments = with_epsilon(taken(value));
  arguments = lappend(arguments, range->lower);
  arguments = lappend(arguments, range->upper);
  arguments = lappend(arguments, float_constant(fraction));
  return node_of(private_call("dp_quantile", plain.call, arguments));
}

// Whether a call keeps the order in this session, of the instants of a column with a domain: its
// clocks never go back, or only within cells of which the call makes one value.
bool keeps_order_here(const Plain& plain, const FuncExpr* call) {
  switch (call->funcid) {
    case F_DATE_TIMESTAMPTZ:
    case F_TIMESTAMP_TIMESTAMPTZ:
    case F_TIMEZONE_TEXT_TIMESTAMPTZ:
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
      break;
    default:
      return false;
  }
  Node* expression = folded(as<Node>(call));
  const Var* column = only_column(expression);
  const KeyColumn* key = column == nullptr ? nullptr : key_of_column(plain.level.query, column);
  if (key == nullptr || key->rows != nullptr || key->keys.grain.unit == nullptr) return false;
  const bool is_in_utc = call->funcid != F_TIMEZONE_TEXT_TIMESTAMPTZ && is_utc(zone_of_session());
  return is_ordered_in_time(expression, *key) && (is_in_utc || is_same_in_cells(expression, *key));
}

// Of texts with a domain: the one whose place in their order is that end of all places.
Node* end_of_texts(const Plain& plain, Node* value, double fraction) {
  const TextPlaces texts = places_of_texts(plain.level, value);
  Node* answer = texts.place == nullptr ? nullptr : quantile(plain, texts.place, fraction);
  return answer == nullptr ? nullptr : text_at(texts, as_type(answer, INT4OID));
}

// Of values, or of what a function that keeps their order makes of them: then that of the end of
// the values is the end of those.
Node* end(const Plain& plain, Node* value, double fraction) {
  const Oid type = exprType(value);
  if (Node* answer = quantile(plain, value, fraction)) return as_type(answer, type);
  if (Node* answer = end_of_texts(plain, value, fraction)) return answer;
  if (!IsA(value, FuncExpr)) return nullptr;
  const auto* given = as<FuncExpr>(value);
  if (!keeps_order(given) && !keeps_order_here(plain, given)) return nullptr;
  auto* call = static_cast<FuncExpr*>(copyObjectImpl(value));
  ListCell* last = list_last_cell(call->args);
  Node* answer = end(plain, static_cast<Node*>(lfirst(last)), fraction);
  lfirst(last) = answer;
  return answer == nullptr ? nullptr : as<Node>(call);
}

Node* least(const Plain& plain) {
  Node* answer = end(plain, plain.argument, kInsideEnd);
  return answer == nullptr ? nullptr : as_type_of(plain.call, answer);
}

Node* greatest(const Plain& plain) {
  Node* answer = end(plain, plain.argument, 1 - kInsideEnd);
  return answer == nullptr ? nullptr : as_type_of(plain.call, answer);
}

bool is_descending(const Aggref* call) {
  const auto* order = static_cast<const SortGroupClause*>(linitial(call->aggorder));
  return sorts_descending(order->sortop);
}

bool is_fraction(double value) { return value >= 0 && value <= 1; }

Node* quantile_of_order(const Plain& plain, Node* value, Datum fraction, Oid type) {
  const double given = DatumGetFloat8(fraction);
  if (!is_fraction(given)) return nullptr;
  Node* answer = quantile(plain, value, is_descending(plain.call) ? 1 - given : given);
  if (answer == nullptr || exprType(answer) == type) return answer;
  return as_type(answer, type);
}

// One quantile for each fraction, as an array.
Node* quantiles_of_order(const Plain& plain, Node* value, ArrayType* fractions) {
  Datum* values;
  bool* nulls;
  int count;
  if (ARR_NDIM(fractions) != 1) return nullptr;
  deconstruct_array(fractions, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &values,
                    &nulls, &count);
  auto* answers = makeNode(ArrayExpr);
  answers->array_typeid = plain.call->aggtype;
  answers->array_collid = plain.call->aggcollid;
  answers->element_typeid = get_element_type(plain.call->aggtype);
  answers->location = -1;
  // each is compared with all others while the statement is planned, which hears no cancel
  constexpr int64 kRoomOfQuantile = 50;
  take_room(kRoomOfQuantile * count);
  for (int i = 0; i < count; ++i) {
    Node* answer =
        nulls[i] ? nullptr : quantile_of_order(plain, value, values[i], answers->element_typeid);
    if (answer == nullptr) return nullptr;
    answers->elements = lappend(answers->elements, answer);
  }
  return as<Node>(answers);
}

Node* percentile(const Plain& plain) {
  Node* fraction = folded(static_cast<Node*>(linitial(plain.call->aggdirectargs)));
  if (!is_value(fraction)) return nullptr;
  Node* value = without_cast_to_float(plain.argument);
  const auto* constant = as<Const>(fraction);
  if (constant->consttype == FLOAT8OID) {
    return quantile_of_order(plain, value, constant->constvalue, plain.call->aggtype);
  }
  if (constant->consttype != FLOAT8ARRAYOID) return nullptr;
  return quantiles_of_order(plain, value, DatumGetArrayTypeP(constant->constvalue));
}

// Of a type that no private aggregate takes: the place that most have.
Node* most_frequent_place(const Plain& plain) {
  const TextPlaces texts = places_of_texts(plain.level, plain.argument);
  if (texts.place == nullptr) return nullptr;
  const int count = list_length(texts.texts);
  auto* places = static_cast<Datum*>(palloc(sizeof(Datum) * static_cast<size_t>(count)));
  for (int i = 0; i < count; ++i) places[i] = Int32GetDatum(i + 1);
  ArrayType* all = construct_array(places, count, INT4OID, sizeof(int32), true, TYPALIGN_INT);
  Const* keys = makeConst(INT4ARRAYOID, -1, InvalidOid, -1, PointerGetDatum(all), false, false);
  Aggref* call = private_call("dp_mode", plain.call, lappend(with_epsilon(texts.place), keys));
  if (call == nullptr) return nullptr;
  return as_type_of(plain.call, text_at(texts, as_type(node_of(call), INT4OID)));
}

Node* most_frequent(const Plain& plain) {
  Const* keys = listed_keys(plain.level, plain.argument);
  const Oid type = exprType(plain.argument);
  if (keys == nullptr || type == BPCHAROID || type_is_enum(type)) return most_frequent_place(plain);
  List* arguments = lappend(with_epsilon(taken(plain.argument)), keys);
  Aggref* call = private_call("dp_mode", plain.call, arguments);
  return call == nullptr ? nullptr : as_type_of(plain.call, node_of(call));
}

// --- which ---

struct Counterpart {
  const char* name;
  char kind;
  Node* (*answer)(const Plain& plain);
};

// Deviation and variance of a sample are those of its rows: noise is far more than the factor
// n / (n - 1) between the two.
constexpr Counterpart kCounterparts[] = {
    {"count", AGGKIND_NORMAL, count},
    {"sum", AGGKIND_NORMAL, sum},
    {"avg", AGGKIND_NORMAL, average},
    {"stddev", AGGKIND_NORMAL, deviation},
    {"stddev_pop", AGGKIND_NORMAL, deviation},
    {"stddev_samp", AGGKIND_NORMAL, deviation},
    {"variance", AGGKIND_NORMAL, variance},
    {"var_pop", AGGKIND_NORMAL, variance},
    {"var_samp", AGGKIND_NORMAL, variance},
    {"min", AGGKIND_NORMAL, least},
    {"max", AGGKIND_NORMAL, greatest},
    {"percentile_cont", AGGKIND_ORDERED_SET, percentile},
    {"percentile_disc", AGGKIND_ORDERED_SET, percentile},
    {"mode", AGGKIND_ORDERED_SET, most_frequent},
};

// The greatest of some values is that of the different ones.
bool takes_distinct(const Counterpart& counterpart) {
  return counterpart.answer == count || counterpart.answer == least ||
         counterpart.answer == greatest;
}

}  // namespace

Node* counterpart_of(const QueryLevel& level, const Aggref* plain) {
  if (plain->aggfnoid >= FirstNormalObjectId || list_length(plain->args) > 1) return nullptr;
  const bool has_order = plain->aggorder != NIL;
  if (has_order != (plain->aggkind == AGGKIND_ORDERED_SET)) return nullptr;
  const char* name = get_func_name(plain->aggfnoid);
  for (const Counterpart& counterpart : kCounterparts) {
    if (counterpart.kind != plain->aggkind || strcmp(counterpart.name, name) != 0) continue;
    if (plain->aggdistinct != NIL && !takes_distinct(counterpart)) return nullptr;
    Node* argument = nullptr;
    if (plain->args != NIL) {
      argument = as<Node>(static_cast<const TargetEntry*>(linitial(plain->args))->expr);
    }
    return counterpart.answer({level, plain, argument});
  }
  return nullptr;
}

}  // namespace idp
