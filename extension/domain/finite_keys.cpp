#include "extension/domain/finite_keys.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "extension/pg/outer_joins.h"
#include "extension/domain/key_conditions.h"
#include "extension/domain/over_value.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/key_forms.h"
#include "extension/domain/ranges.h"
#include "extension/domain/time_ranges.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/fold.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/pg/number_types.h"
#include "extension/plan/group_functions.h"
#include "extension/plan/used_columns.h"
#include "extension/types/numeric_grid.h"

extern "C" {
#include "access/stratnum.h"
#include "access/transam.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/datum.h"
#include "utils/typcache.h"
}

namespace idp {

namespace {

// --- whether NULL is among the values ---

bool may_be_null_in(const Query* query, Node* node);

bool may_any_be_null(const Query* query, const List* nodes) {
  for (auto* node : list<Node>(nodes)) {
    if (may_be_null_in(query, node)) return true;
  }
  return false;
}

bool may_all_be_null(const Query* query, const List* nodes) {
  for (auto* node : list<Node>(nodes)) {
    if (!may_be_null_in(query, node)) return false;
  }
  return true;
}

bool may_column_be_null(const Query* query, const Var* column) {
  if (column->varlevelsup > 0 || column->varattno <= 0 ||
      may_be_absent(query, static_cast<Index>(column->varno))) {
    return true;
  }
  const RangeTblEntry* entry = rt_fetch(column->varno, query->rtable);
  switch (entry->rtekind) {
    case RTE_RELATION:
      return may_be_null(entry->relid, column->varattno) && !is_never_null(query, column);
    case RTE_JOIN:
      return may_be_null_in(
          query, static_cast<Node*>(list_nth(entry->joinaliasvars, column->varattno - 1)));
    case RTE_SUBQUERY: {
      const Query* subquery = entry->subquery;
      if (subquery->setOperations != nullptr || subquery->groupingSets != NIL) return true;
      const TargetEntry* target = column_shown(subquery->targetList, column->varattno);
      return may_be_null_in(subquery, as<Node>(target->expr));
    }
    default:
      return true;
  }
}

// Of the server's operators and functions over numbers, those that give NULL of NULL alone.
constexpr const char* kOfValues[] = {
    "+",      "-",       "*",         "/",       "%",         "=",
    "<>",     "<",       ">",         "<=",      ">=",        "floor",
    "ceil",   "ceiling", "round",     "trunc",   "abs",       "width_bucket",
    "mod",    "numeric", "int2",      "int4",    "int8",      "float8",
    "float4", "date",    "timestamp", "extract", "date_part", "timestamptz",
    "age"};

bool is_of_values(const char* name) {
  return std::any_of(std::begin(kOfValues), std::end(kOfValues),
                     [&](const char* one) { return strcmp(one, name) == 0; });
}

// Whether some or all rows of a group fulfil a condition, which value is the least, and what they
// add up to, is not known of no rows.
bool may_aggregate_be_null(const Query* query, const Aggref* call) {
  if (is_count(call->aggfnoid)) return false;
  const char* name = get_func_name(call->aggfnoid);
  const bool adds_up = call->aggfnoid < FirstNormalObjectId && list_length(call->args) == 1 &&
                       (strcmp(name, "sum") == 0 || strcmp(name, "avg") == 0);
  Node* one = adds_up ? as<Node>(static_cast<TargetEntry*>(linitial(call->args))->expr)
                      : value_of_one(as<Node>(call));
  return one == nullptr || query->groupClause == NIL || query->groupingSets != NIL ||
         call->aggfilter != nullptr || may_be_null_in(query, one);
}

// An average that rows are compared with. It is NULL where there are hardly any rows: then no group
// has one, and none is shown for that.
bool is_answer(const SubLink* subquery) {
  const auto* query = as<Query>(subquery->subselect);
  return is_value_apart(subquery) && query->hasAggs && query->groupClause == NIL &&
         query->groupingSets == NIL && query->havingQual == nullptr &&
         query->limitCount == nullptr && query->limitOffset == nullptr;
}

bool may_be_null_in(const Query* query, Node* node) {
  check_stack_depth();
  switch (nodeTag(node)) {
    case T_Const:
      return as<Const>(node)->constisnull;
    case T_Var:
      return may_column_be_null(query, as<Var>(node));
    case T_NullTest:
    case T_BooleanTest:
    case T_DistinctExpr:
      return false;
    case T_SubLink:
      return !is_answer(as<SubLink>(node));
    case T_Aggref:
      return may_aggregate_be_null(query, as<Aggref>(node));
    case T_BoolExpr:
      return may_any_be_null(query, as<BoolExpr>(node)->args);
    case T_RelabelType:
      return may_be_null_in(query, as<Node>(as<RelabelType>(node)->arg));
    case T_OpExpr: {
      const auto* operation = as<OpExpr>(node);
      return operation->opno >= FirstNormalObjectId || !is_of_values(get_opname(operation->opno)) ||
             may_any_be_null(query, operation->args);
    }
    case T_FuncExpr: {
      const auto* call = as<FuncExpr>(node);
      return call->funcid >= FirstNormalObjectId || !is_of_values(get_func_name(call->funcid)) ||
             may_any_be_null(query, call->args);
    }
    case T_CoalesceExpr:
      return may_all_be_null(query, as<CoalesceExpr>(node)->args);
    case T_MinMaxExpr:
      return may_all_be_null(query, as<MinMaxExpr>(node)->args);
    case T_CaseExpr: {
      const auto* choice = as<CaseExpr>(node);
      if (choice->defresult == nullptr) return true;
      for (const auto* when : list<CaseWhen>(choice->args)) {
        if (may_be_null_in(query, as<Node>(when->result))) return true;
      }
      return may_be_null_in(query, as<Node>(choice->defresult));
    }
    default:
      return true;
  }
}

// --- constants that one is chosen of ---

struct Chosen {
  List* constants = NIL;  // of Const, each value once
  bool may_be_null = false;
};

bool is_among(const Chosen& chosen, const Const* constant) {
  for (const auto* other : list<Const>(chosen.constants)) {
    if (datumIsEqual(other->constvalue, constant->constvalue, constant->constbyval,
                     constant->constlen)) {
      return true;
    }
  }
  return false;
}

bool add_constants(Node* node, Chosen* chosen) {
  check_stack_depth();
  switch (nodeTag(node)) {
    case T_Const: {
      auto* constant = as<Const>(node);
      if (constant->constisnull) {
        chosen->may_be_null = true;
      } else if (!is_among(*chosen, constant)) {
        // of a value that may be stored in two ways there is one here
        if (constant->constlen == -1) {
          constant->constvalue = PointerGetDatum(PG_DETOAST_DATUM(constant->constvalue));
        }
        chosen->constants = lappend(chosen->constants, constant);
      }
      return true;
    }
    case T_RelabelType:
      return add_constants(as<Node>(as<RelabelType>(node)->arg), chosen);
    case T_CaseExpr: {
      const auto* choice = as<CaseExpr>(node);
      for (const auto* when : list<CaseWhen>(choice->args)) {
        if (!add_constants(as<Node>(when->result), chosen)) return false;
      }
      if (choice->defresult == nullptr) {
        chosen->may_be_null = true;
        return true;
      }
      return add_constants(as<Node>(choice->defresult), chosen);
    }
    default:
      return false;
  }
}

Keys no_keys(Node* expression) {
  Keys keys;
  keys.type = exprType(expression);
  keys.typmod = exprTypmod(expression);
  keys.collation = exprCollation(expression);
  return keys;
}

// The constants that an expression is one of.
bool keys_of_constants(Node* expression, Node* choice, FiniteKeys* found) {
  Chosen chosen;
  if (!has_one_form(exprType(expression), exprTypmod(expression), exprCollation(expression)) ||
      !add_constants(choice, &chosen)) {
    return false;
  }
  Keys keys = no_keys(expression);
  keys.values = static_cast<Datum*>(
      palloc(sizeof(Datum) * static_cast<size_t>(list_length(chosen.constants))));
  for (const auto* constant : list<Const>(chosen.constants)) {
    keys.values[keys.count++] = constant->constvalue;
  }
  keys.number = keys.count;
  *found = {keys, chosen.may_be_null};
  return true;
}

bool keys_of_choice(Node* expression, FiniteKeys* found) {
  if (!IsA(expression, CaseExpr)) return false;
  Node* choice = folded(expression);
  return IsA(choice, CaseExpr) && keys_of_constants(expression, choice, found) &&
         found->keys.count > 0;
}

// --- truth values ---

bool keys_of_condition(const Query* query, Node* expression, FiniteKeys* found) {
  if (exprType(expression) != BOOLOID || IsA(expression, Var) || IsA(expression, Const)) {
    return false;
  }
  Keys keys = no_keys(expression);
  keys.count = 2;
  keys.values = static_cast<Datum*>(palloc(2 * sizeof(Datum)));
  keys.values[0] = BoolGetDatum(false);
  keys.values[1] = BoolGetDatum(true);
  *found = {keys, may_be_null_in(query, expression)};
  return true;
}

// --- whole numbers, and what is computed of them by constants ---

Datum call(PGFunction function, Datum a, Datum b) { return DirectFunctionCall2(function, a, b); }

Datum as_numeric(Oid type, Datum value) {
  switch (type) {
    case INT2OID:
      return DirectFunctionCall1(int2_numeric, value);
    case INT4OID:
      return DirectFunctionCall1(int4_numeric, value);
    case INT8OID:
      return DirectFunctionCall1(int8_numeric, value);
    case FLOAT8OID:
      return DirectFunctionCall1(float8_numeric, value);
    default:
      return value;
  }
}

Datum as_type(Oid type, Datum number) {
  switch (type) {
    case INT2OID:
      return DirectFunctionCall1(numeric_int2, number);
    case INT4OID:
      return DirectFunctionCall1(numeric_int4, number);
    case INT8OID:
      return DirectFunctionCall1(numeric_int8, number);
    case FLOAT8OID:
      return DirectFunctionCall1(numeric_float8, number);
    default:
      return number;
  }
}

Datum of_int(int64 number) { return DirectFunctionCall1(int8_numeric, Int64GetDatum(number)); }

// How far the values of an expression are apart, one of them, and their digits behind the point.
struct Step {
  Datum length;  // numeric
  Datum origin;  // numeric
  int32 digits;
};

Step whole_numbers() { return {of_int(1), of_int(0), 0}; }

std::optional<Step> step_of(const Node* expression);

// A number that an expression has for all rows.
std::optional<Datum> constant_number(Node* expression) {
  Node* value = folded(expression);
  const Oid type = exprType(value);
  if (!IsA(value, Const) || as<Const>(value)->constisnull || !is_exact_number(type))
    return std::nullopt;
  const Datum number = as_numeric(type, as<Const>(value)->constvalue);
  return is_finite_numeric(number) ? std::optional<Datum>{number} : std::nullopt;
}

// FLOOR(x / 100) * 100 + 0.0, say.
std::optional<Step> step_of_operation(const OpExpr* operation) {
  if (list_length(operation->args) != 2) return std::nullopt;
  auto* left = static_cast<Node*>(linitial(operation->args));
  auto* right = static_cast<Node*>(lsecond(operation->args));
  if (operation->opno >= FirstNormalObjectId || !is_exact_number(operation->opresulttype) ||
      !is_exact_number(exprType(left)) || !is_exact_number(exprType(right))) {
    return std::nullopt;
  }
  const char name = get_opname(operation->opno)[0];  // of one character, where it is one of these
  if (name != '+' && name != '-' && name != '*') return std::nullopt;
  std::optional<Datum> number = constant_number(right);
  if (!number && name != '-') {
    std::swap(left, right);
    number = constant_number(right);
  }
  const std::optional<Step> step = number ? step_of(left) : std::nullopt;
  if (!step) return std::nullopt;
  const int32 digits = scale_of_numeric(*number);
  switch (name) {
    case '+':
      return Step{step->length, call(numeric_add, step->origin, *number),
                  std::max(step->digits, digits)};
    case '-':
      return Step{step->length, call(numeric_sub, step->origin, *number),
                  std::max(step->digits, digits)};
    default:
      if (!DatumGetBool(call(numeric_gt, *number, of_int(0)))) return std::nullopt;
      return Step{call(numeric_mul, step->length, *number),
                  call(numeric_mul, step->origin, *number), step->digits + digits};
  }
}

// Of what a cast to another type of numbers makes: whole numbers stay what they are.
std::optional<Step> step_of_cast(const FuncExpr* cast) {
  if (list_length(cast->args) != 1) return std::nullopt;
  const std::optional<Step> step = step_of(static_cast<const Node*>(linitial(cast->args)));
  return step && step->digits == 0 ? step : std::nullopt;
}

std::optional<Step> step_of_function(const FuncExpr* function) {
  switch (function->funcid) {
    case F_INT2_INT4:
    case F_INT2_INT8:
    case F_INT2_NUMERIC:
    case F_INT2_FLOAT8:
    case F_INT4_INT2:
    case F_INT4_INT8:
    case F_INT4_NUMERIC:
    case F_INT4_FLOAT8:
    case F_INT8_INT2:
    case F_INT8_INT4:
    case F_INT8_NUMERIC:
    case F_INT8_FLOAT8:
    case F_FLOAT8_NUMERIC:
    case F_NUMERIC_FLOAT8:
    case F_NUMERIC_INT2:
    case F_NUMERIC_INT4:
    case F_NUMERIC_INT8:
      return step_of_cast(function);
    case F_FLOOR_NUMERIC:
    case F_CEIL_NUMERIC:
    case F_CEILING_NUMERIC:
    case F_ROUND_NUMERIC:
    case F_TRUNC_NUMERIC:
    case F_FLOOR_FLOAT8:
    case F_CEIL_FLOAT8:
    case F_CEILING_FLOAT8:
    case F_ROUND_FLOAT8:
    case F_TRUNC_FLOAT8:
      return whole_numbers();
    case F_EXTRACT_TEXT_INTERVAL:
    case F_DATE_PART_TEXT_INTERVAL:
      return gives_whole_numbers(function) ? std::optional{whole_numbers()} : std::nullopt;
    case F_EXTRACT_TEXT_TIME:
    case F_DATE_PART_TEXT_TIME:
      return gives_field_of_time(function) ? std::optional{whole_numbers()} : std::nullopt;
    case F_ROUND_NUMERIC_INT4:
    case F_TRUNC_NUMERIC_INT4: {
      Node* second = folded(static_cast<Node*>(lsecond(function->args)));
      const auto* digits = maybe<Const>(second);
      if (digits == nullptr || digits->constisnull) return std::nullopt;
      const int32 given = DatumGetInt32(digits->constvalue);
      if (given < -18 || given > 9) return std::nullopt;
      int64 power = 1;
      for (int i = 0; i < std::abs(given); ++i) power *= 10;
      const Datum length = given <= 0
                               ? of_int(power)
                               : call(numeric_round, call(numeric_div, of_int(1), of_int(power)),
                                      Int32GetDatum(given));
      return Step{length, of_int(0), std::max(given, 0)};
    }
    default:
      return std::nullopt;
  }
}

std::optional<Step> step_of(const Node* expression) {
  check_stack_depth();
  std::optional<Step> step;
  if (IsA(expression, OpExpr)) step = step_of_operation(as<OpExpr>(expression));
  if (IsA(expression, FuncExpr)) step = step_of_function(as<FuncExpr>(expression));
  return !step && is_whole_number(exprType(expression)) ? whole_numbers() : step;
}

// A field of a day or an instant has the keys that its domain makes (key_images.h): not all that it
// could have.
bool find_field(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, FuncExpr) && gives_field(as<FuncExpr>(node)->funcid)) return true;
  return walk_expression(node, find_field, nullptr);
}

// Floats are rounded at each step: at the ends of its column an expression may be beyond the ends
// of its range.
void include_ends(Query* query, Node* expression, Datum* lower, Datum* upper) {
  const Var* column = only_column(expression);
  if (column == nullptr || exprType(expression) != FLOAT8OID) return;
  const auto ends = range_of_number({query, nullptr}, as<Node>(const_cast<Var*>(column)));
  if (!ends) return;
  OverValue over(expression, column, column->vartype);
  for (const Const* end : {ends->lower, ends->upper}) {
    bool is_null = false;
    const Datum value = over.of(end->constvalue, false, &is_null);
    if (is_null) continue;
    const Datum number = as_numeric(FLOAT8OID, value);
    *lower = call(numeric_smaller, *lower, number);
    *upper = call(numeric_larger, *upper, number);
  }
  over.end();
}

// Whole numbers that floats hold with all their digits.
bool are_exact(Datum lower, Datum upper) {
  constexpr int64 kMost = 1000000000000000;
  return DatumGetBool(call(numeric_ge, lower, of_int(-kMost))) &&
         DatumGetBool(call(numeric_le, upper, of_int(kMost)));
}

// is_whole: as in finite_keys(). What is not is put into one form (finite_columns.cpp).
bool keys_of_numbers(Query* query, Node* expression, bool is_whole, FiniteKeys* found) {
  if (IsA(expression, Var) || IsA(expression, Const) || find_field(expression, nullptr)) {
    return false;
  }
  const std::optional<Step> step = step_of(expression);
  const bool has_one =
      has_one_key_form(query, expression) || (!is_whole && exprType(expression) == FLOAT8OID);
  if (!step || !has_one) return false;
  const std::optional<Range> range = range_of_number({query, nullptr}, expression);
  if (!range) return false;
  const Oid type = exprType(expression);
  Datum lower = as_numeric(type, range->lower->constvalue);
  Datum upper = as_numeric(type, range->upper->constvalue);
  include_ends(query, expression, &lower, &upper);
  if (type == FLOAT8OID && !are_exact(lower, upper)) return false;
  // the bounds are some of them, but for those of numbers that are cast to others
  const Datum steps = DirectFunctionCall1(
      numeric_floor, call(numeric_div, call(numeric_sub, lower, step->origin), step->length));
  const Datum first = call(numeric_add, step->origin, call(numeric_mul, steps, step->length));
  const Datum number = DirectFunctionCall1(
      numeric_ceil, call(numeric_div, call(numeric_sub, upper, first), step->length));
  if (DatumGetBool(call(numeric_gt, number, of_int(kMostKeys - 1)))) return false;
  Keys keys = no_keys(expression);
  const auto most = DatumGetInt64(DirectFunctionCall1(numeric_int8, number));
  keys.values = static_cast<Datum*>(palloc(sizeof(Datum) * static_cast<size_t>(most + 1)));
  for (int64 i = 0; i <= most; ++i) {
    const Datum value =
        call(numeric_round, call(numeric_add, first, call(numeric_mul, of_int(i), step->length)),
             Int32GetDatum(step->digits));
    const bool is_within = !DatumGetBool(call(numeric_gt, value, upper)) &&
                           !DatumGetBool(call(numeric_lt, value, lower));
    if (is_within) keys.values[keys.count++] = as_type(type, value);
  }
  if (keys.count == 0) return false;
  *found = {keys, may_be_null_in(query, expression)};
  return true;
}

}  // namespace

bool may_value_be_null(const Query* query, Node* expression) {
  return may_be_null_in(query, expression);
}

bool keys_of_constant(Node* expression, FiniteKeys* found) {
  Node* constant = folded(expression);
  return IsA(constant, Const) && keys_of_constants(expression, constant, found);
}

namespace {

// A value of a subquery that names nothing of the queries around it is the same for all rows.
bool find_changing(Node* node, void*) {
  if (node == nullptr) return false;
  if (IsA(node, SubLink)) return !is_value_apart(as<SubLink>(node));
  return IsA(node, SubPlan) || IsA(node, AlternativeSubPlan) || IsA(node, NextValueExpr) ||
         check_functions_in_node(node, is_volatile_function, nullptr) ||
         walk_expression(node, find_changing, nullptr);
}

}  // namespace

bool finite_keys(Query* query, Node* expression, bool is_whole, FiniteKeys* found) {
  if (contain_subplans(expression)) {
    // which constant it is, whether it holds, or in which of so many buckets a number is, may hang
    // on such values; not which there are
    return !find_changing(expression, nullptr) &&
           (keys_of_choice(expression, found) || keys_of_condition(query, expression, found) ||
            keys_of_numbers(query, expression, is_whole, found));
  }
  if (contain_volatile_functions(expression)) return false;
  const bool lists_part =
      !is_whole && IsA(expression, OpExpr) && exprType(expression) == NUMERICOID;
  const bool is_found = keys_of_choice(expression, found) ||
                        keys_of_condition(query, expression, found) ||
                        (!lists_part && keys_of_numbers(query, expression, is_whole, found));
  if (is_found) found->keys.number = found->keys.count;
  return is_found;
}

}  // namespace idp
