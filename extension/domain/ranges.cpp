#include "extension/domain/ranges.h"

#include "extension/domain/domain.h"
#include "extension/domain/intervals.h"
#include "extension/domain/public_bounds.h"
#include "extension/domain/never_before.h"
#include "extension/domain/time_ranges.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/fold.h"
#include "extension/pg/nodes.h"
#include "extension/pg/number_types.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/group_functions.h"
#include "extension/types/numeric_grid.h"

extern "C" {
#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

bool is_absolute(Oid function) {
  return function == F_ABS_INT2 || function == F_ABS_INT4 || function == F_ABS_INT8 ||
         function == F_ABS_NUMERIC || function == F_ABS_FLOAT4 || function == F_ABS_FLOAT8;
}

}  // namespace

namespace {

// Invalid: NaN and infinity are no bounds.
std::optional<Datum> number_of(Oid type, Datum value) {
  Datum number;
  switch (type) {
    case INT2OID:
      return call(int2_numeric, value);
    case INT4OID:
      return call(int4_numeric, value);
    case INT8OID:
      return call(int8_numeric, value);
    case FLOAT4OID:
      number = call(float4_numeric, value);
      break;
    case FLOAT8OID:
      number = call(float8_numeric, value);
      break;
    default:
      number = value;
  }
  if (!is_finite_numeric(number)) return std::nullopt;
  return number;
}

MaybeNumbers numbers_between(Oid type, Datum lower, Datum upper) {
  const auto first = number_of(type, lower);
  const auto last = number_of(type, upper);
  if (!first || !last) return std::nullopt;
  return between(*first, *last);
}

MaybeNumbers numbers_of(const QueryLevel& level, Node* node);

MaybeNumbers numbers_in(const QueryLevel& level, AttrNumber number) {
  const Query* query = level.query;
  if (query->commandType != CMD_SELECT || query->setOperations != nullptr) return std::nullopt;
  const TargetEntry* target = column_shown(query->targetList, number);
  return target == nullptr ? std::nullopt : numbers_of(level, as<Node>(target->expr));
}

// Of what a subquery computes, by what it computes it of.
MaybeNumbers numbers_of_computed(const QueryLevel& level, const Var* column) {
  if (column->varlevelsup > 0 || column->varattno <= 0) return std::nullopt;
  const RangeTblEntry* entry = rt_fetch(column->varno, level.query->rtable);
  switch (entry->rtekind) {
    case RTE_SUBQUERY:
      return numbers_in({entry->subquery, &level}, column->varattno);
    case RTE_CTE: {
      const FoundCte found = cte_of(level, entry);
      if (found.cte == nullptr || found.cte->cterecursive) return std::nullopt;
      return numbers_in({as<Query>(found.cte->ctequery), found.owner}, column->varattno);
    }
    case RTE_JOIN:
      return numbers_of(level,
                        static_cast<Node*>(list_nth(entry->joinaliasvars, column->varattno - 1)));
    default:
      return std::nullopt;
  }
}

MaybeNumbers numbers_of_column(const QueryLevel& level, Node* node) {
  if (!OidIsValid(origin_of(level, node).table)) return numbers_of_computed(level, as<Var>(node));
  Datum lower, upper;
  if (!known_bounds(level, node, &lower, &upper)) return std::nullopt;
  return numbers_between(exprType(node), lower, upper);
}

// Between whole numbers, whichever way a number is rounded.
Numbers rounded(const Numbers& numbers) {
  return between(call(numeric_floor, numbers.lower), call(numeric_ceil, numbers.upper));
}

Datum round_half_up(Datum number) { return call(numeric_round, number, Int32GetDatum(0)); }
Datum cut(Datum number) { return call(numeric_trunc, number, Int32GetDatum(0)); }
Datum floor_of(Datum number) { return call(numeric_floor, number); }
Datum ceil_of(Datum number) { return call(numeric_ceil, number); }

// What a call makes of a number that is whole afterwards; null if that is not known.
Datum (*whole_of_call(const FuncExpr* function))(Datum) {
  switch (function->funcid) {
    case F_FLOOR_NUMERIC:
    case F_FLOOR_FLOAT8:
      return floor_of;
    case F_CEIL_NUMERIC:
    case F_CEILING_NUMERIC:
    case F_CEIL_FLOAT8:
    case F_CEILING_FLOAT8:
      return ceil_of;
    case F_TRUNC_NUMERIC:
    case F_TRUNC_FLOAT8:
      return cut;
    case F_ROUND_NUMERIC:
    case F_INT2_NUMERIC:
    case F_INT4_NUMERIC:
    case F_INT8_NUMERIC:
      return round_half_up;
    default:
      return nullptr;
  }
}

// So many digits behind the point as a cast to numeric(p, s) leaves, or a call is given.
std::optional<Datum> digits_of(const FuncExpr* function) {
  if (list_length(function->args) != 2) return std::nullopt;
  const auto* second = static_cast<const Const*>(lsecond(function->args));
  if (!IsA(second, Const) || second->constisnull || second->consttype != INT4OID) {
    return std::nullopt;
  }
  const int32 given = DatumGetInt32(second->constvalue);
  if (function->funcid != F_NUMERIC_NUMERIC_INT4) return Int32GetDatum(given);
  if (given < static_cast<int32>(VARHDRSZ)) return std::nullopt;
  return Int32GetDatum(scale_of_typmod(given));
}

// What becomes of numbers that are rounded to some digits; the function keeps their order.
MaybeNumbers rounded_to(PGFunction round, const MaybeNumbers& numbers, const FuncExpr* function) {
  const auto digits = digits_of(function);
  if (!digits || !numbers || numbers->is_empty) return digits ? numbers : std::nullopt;
  return between(call(round, numbers->lower, *digits), call(round, numbers->upper, *digits));
}

// Of width_bucket(x, low, high, count): those that the ends lie in.
MaybeNumbers numbers_of_buckets(const QueryLevel& level, const FuncExpr* function) {
  if (function->funcid != F_WIDTH_BUCKET_NUMERIC_NUMERIC_NUMERIC_INT4 &&
      function->funcid != F_WIDTH_BUCKET_FLOAT8_FLOAT8_FLOAT8_INT4) {
    return std::nullopt;
  }
  Numbers parts[4];
  bool is_any = false;  // of what nothing is known, it may be any of them, or beside these
  for (int i = 0; i < 4; ++i) {
    const MaybeNumbers part = numbers_of(level, static_cast<Node*>(list_nth(function->args, i)));
    is_any |= i < 3 && !part;
    if (i < 3 && !part) continue;
    if (!part || part->is_empty) return part;
    parts[i] = *part;
    const bool is_one = DatumGetBool(call(numeric_eq, part->lower, part->upper));
    is_any |= (i == 1 || i == 2) && !is_one;
    if (i == 3 && !is_one) return std::nullopt;
  }
  const Datum count = call(numeric_int4, parts[3].lower);
  if (DatumGetInt32(count) < 1 || DatumGetInt32(count) == PG_INT32_MAX) return std::nullopt;
  if (is_any) return between(of_int(0), of_int(int64{DatumGetInt32(count)} + 1));
  if (DatumGetBool(call(numeric_eq, parts[1].lower, parts[2].lower))) return std::nullopt;
  const auto bucket = [&](Datum number) {
    const Datum found =
        DirectFunctionCall4(width_bucket_numeric, number, parts[1].lower, parts[2].lower, count);
    return between(call(int4_numeric, found), call(int4_numeric, found));
  };
  return hull(bucket(parts[0].lower), bucket(parts[0].upper));
}

// Of width_bucket(x, thresholds): how many of them are not above x.
MaybeNumbers numbers_of_thresholds(const FuncExpr* function) {
  const auto* list = maybe<Const>(folded(static_cast<Node*>(lsecond(function->args))));
  if (list == nullptr || list->constisnull) return std::nullopt;
  const ArrayType* thresholds = DatumGetArrayTypeP(list->constvalue);
  return between(of_int(0), of_int(ArrayGetNItems(ARR_NDIM(thresholds), ARR_DIMS(thresholds))));
}

// --- expressions ---

// --- powers ---

bool raises(Oid function) {
  return function == F_POWER_NUMERIC_NUMERIC || function == F_POW_NUMERIC_NUMERIC ||
         function == F_POWER_FLOAT8_FLOAT8 || function == F_POW_FLOAT8_FLOAT8 ||
         function == F_NUMERIC_POWER || function == F_DPOW;
}

constexpr int kMostTimes = 8;

// x ^ 2, to a whole number.
MaybeNumbers numbers_of_power(const QueryLevel& level, const List* operands) {
  const MaybeNumbers base = numbers_of(level, static_cast<Node*>(linitial(operands)));
  const MaybeNumbers power = numbers_of(level, static_cast<Node*>(lsecond(operands)));
  if (!base || !power || base->is_empty || power->is_empty) return std::nullopt;
  for (int times = 1; times <= kMostTimes; ++times) {
    const Datum number = of_int(times);
    const bool is_it = DatumGetBool(call(numeric_eq, power->lower, number)) &&
                       DatumGetBool(call(numeric_eq, power->upper, number));
    if (is_it) return power_of(*base, times);
  }
  return std::nullopt;
}

// --- lengths ---

bool gives_length(Oid function) {
  return function == F_LENGTH_TEXT || function == F_CHAR_LENGTH_TEXT ||
         function == F_CHARACTER_LENGTH_TEXT || function == F_OCTET_LENGTH_TEXT;
}

// Of texts that a domain lists.
MaybeNumbers numbers_of_length(const QueryLevel& level, const FuncExpr* function) {
  auto* text = const_cast<Node*>(without_relabels(static_cast<Node*>(linitial(function->args))));
  const Const* keys = IsA(text, Var) ? listed_keys(level, text) : nullptr;
  if (keys == nullptr || (keys->consttype != TEXTARRAYOID && keys->consttype != VARCHARARRAYOID)) {
    return std::nullopt;
  }
  Datum* texts;
  int count;
  deconstruct_array(DatumGetArrayTypeP(keys->constvalue), TEXTOID, -1, false, TYPALIGN_INT, &texts,
                    nullptr, &count);
  MaybeNumbers found = Numbers{true, 0, 0};
  for (int i = 0; i < count; ++i) {
    const int32 length = DatumGetInt32(function->funcid == F_OCTET_LENGTH_TEXT
                                           ? DirectFunctionCall1(textoctetlen, texts[i])
                                           : DirectFunctionCall1(textlen, texts[i]));
    found = hull(found, between(of_int(length), of_int(length)));
  }
  return found;
}

// --- calls and operations ---

MaybeNumbers numbers_of_call(const QueryLevel& level, const FuncExpr* function) {
  if (function->funcid >= FirstNormalObjectId || function->args == NIL) return std::nullopt;
  auto* argument = static_cast<Node*>(linitial(function->args));
  switch (function->funcid) {
    case F_NUMERIC_NUMERIC_INT4:
    case F_ROUND_NUMERIC_INT4:
      return rounded_to(numeric_round, numbers_of(level, argument), function);
    case F_TRUNC_NUMERIC_INT4:
      return rounded_to(numeric_trunc, numbers_of(level, argument), function);
    default:
      break;
  }
  if (gives_field(function->funcid)) return numbers_of_field(level, function);
  if (gives_field_of_time(function)) return numbers_of_time(level, function);
  if (measures_interval(function)) return numbers_of_interval(level, function);
  if (raises(function->funcid)) return numbers_of_power(level, function->args);
  if (gives_length(function->funcid)) return numbers_of_length(level, function);
  if (list_length(function->args) == 4) return numbers_of_buckets(level, function);
  if (function->funcid == F_WIDTH_BUCKET_ANYCOMPATIBLE_ANYCOMPATIBLEARRAY)
    return numbers_of_thresholds(function);
  if (list_length(function->args) != 1) return std::nullopt;
  if (function->funcid == F_INT4_BOOL) return between(of_int(0), of_int(1));
  const MaybeNumbers numbers = numbers_of(level, argument);
  if (!numbers || numbers->is_empty) return numbers;
  if (is_absolute(function->funcid)) return absolute(*numbers);
  if (const auto whole = whole_of_call(function)) {
    return between(whole(numbers->lower), whole(numbers->upper));
  }
  const bool is_cast = is_number(exprType(argument)) && is_number(function->funcresulttype) &&
                       function->funcformat != COERCE_EXPLICIT_CALL;
  const bool rounds = function->funcid == F_ROUND_FLOAT8;
  if (!is_cast && !rounds) return std::nullopt;
  return rounds || is_whole_number(function->funcresulttype) ? rounded(*numbers) : *numbers;
}

MaybeNumbers numbers_of_operation(const QueryLevel& level, const OpExpr* operation) {
  if (operation->opno >= FirstNormalObjectId || !is_number(operation->opresulttype)) {
    return std::nullopt;
  }
  if (get_opcode(operation->opno) == F_DATE_MI) return days_between(level, operation);
  const char* name = get_opname(operation->opno);
  const MaybeNumbers first = numbers_of(level, static_cast<Node*>(linitial(operation->args)));
  if (!first || first->is_empty) return first;
  if (list_length(operation->args) == 1) {
    if (strcmp(name, "-") != 0) return std::nullopt;
    return between(call(numeric_uminus, first->upper), call(numeric_uminus, first->lower));
  }
  const MaybeNumbers second = numbers_of(level, static_cast<Node*>(lsecond(operation->args)));
  if (!second || second->is_empty) return second;
  if (strcmp(name, "+") == 0) return at_ends(numeric_add, *first, *second);
  if (strcmp(name, "-") == 0) {
    const MaybeNumbers difference = at_ends(numeric_sub, *first, *second);
    const bool is_in_order =
        are_years_in_order(level.query, static_cast<Node*>(linitial(operation->args)),
                           static_cast<Node*>(lsecond(operation->args)));
    return is_in_order ? without_negative(difference) : difference;
  }
  if (strcmp(name, "*") == 0) return at_ends(numeric_mul, *first, *second);
  if (raises(get_opcode(operation->opno))) return numbers_of_power(level, operation->args);
  if (has_zero(*second)) return std::nullopt;
  const bool is_whole_result = is_whole_number(operation->opresulttype);
  if (strcmp(name, "/") == 0) {
    return at_ends(is_whole_result ? numeric_div_trunc : numeric_div, *first, *second);
  }
  // what is left has the sign of what is divided
  if (strcmp(name, "%") == 0 && is_whole_result) {
    const Datum most = call(numeric_sub, absolute(*second).upper, of_int(1));
    const bool is_positive = DatumGetBool(call(numeric_ge, first->lower, of_int(0)));
    return between(is_positive ? of_int(0) : call(numeric_uminus, most), most);
  }
  return std::nullopt;
}

MaybeNumbers numbers_of(const QueryLevel& level, Node* node);

// Of a count, or of a rank among rows, where something else says up to what: no group is of no
// rows.
MaybeNumbers numbers_of_count(const QueryLevel& level, Node* node) {
  if (const auto* column = maybe<Var>(node)) {
    const bool is_rank =
        column->varlevelsup == 0 && column->varattno > 0 &&
        rank_shown(rt_fetch(column->varno, level.query->rtable), column->varattno) != nullptr;
    return is_rank ? MaybeNumbers{between(of_int(1), of_int(PG_INT64_MAX))} : std::nullopt;
  }
  const auto* call = maybe<Aggref>(node);
  if (call == nullptr || !is_count(call->aggfnoid)) return std::nullopt;
  const bool has_rows =
      call->aggfnoid == F_COUNT_ && call->aggfilter == nullptr && level.query->groupClause != NIL;
  return between(of_int(has_rows ? 1 : 0), of_int(PG_INT64_MAX));
}

// GREATEST and LEAST, which leave out NULL. A constant is never that: so nothing is beyond it, and
// where all others are, it is the value.
MaybeNumbers numbers_of_extreme(const QueryLevel& level, const MinMaxExpr* extreme) {
  PGFunction choose = extreme->op == IS_GREATEST ? numeric_larger : numeric_smaller;
  MaybeNumbers found = Numbers{true, 0, 0};
  MaybeNumbers limit = Numbers{true, 0, 0};
  for (auto* node : idp::list<Node>(extreme->args)) {
    MaybeNumbers numbers = numbers_of(level, node);
    if (!numbers && extreme->op == IS_LEAST) numbers = numbers_of_count(level, node);
    if (!numbers) return std::nullopt;
    if (numbers->is_empty) continue;
    if (!IsA(node, Const)) {
      found = hull(found, numbers);
    } else if (limit->is_empty) {
      limit = numbers;
    } else {
      const Datum chosen = call(choose, limit->lower, numbers->lower);
      limit = between(chosen, chosen);
    }
  }
  if (found->is_empty || limit->is_empty) return found->is_empty ? limit : found;
  return hull(
      between(call(choose, found->lower, limit->lower), call(choose, found->upper, limit->upper)),
      limit);
}

// LEAST(GREATEST(x, lower), upper), or GREATEST(LEAST(x, upper), lower), whatever x is.
MaybeNumbers numbers_of_limits(const QueryLevel& level, const MinMaxExpr* outer) {
  const auto* inner = maybe<MinMaxExpr>(static_cast<Node*>(linitial(outer->args)));
  const bool is_known = inner != nullptr && inner->op != outer->op &&
                        list_length(outer->args) == 2 && list_length(inner->args) == 2 &&
                        IsA(lsecond(outer->args), Const) && IsA(lsecond(inner->args), Const);
  if (!is_known) return std::nullopt;
  const MaybeNumbers first = numbers_of(level, static_cast<Node*>(lsecond(inner->args)));
  const MaybeNumbers last = numbers_of(level, static_cast<Node*>(lsecond(outer->args)));
  if (!first || !last || first->is_empty || last->is_empty) return std::nullopt;
  // the outer one comes last
  const Datum end = last->lower;
  if (outer->op == IS_LEAST) return between(call(numeric_smaller, first->lower, end), end);
  return between(end, call(numeric_larger, first->lower, end));
}

MaybeNumbers numbers_of_any(const QueryLevel& level, const List* expressions) {
  MaybeNumbers found = Numbers{true, 0, 0};
  for (auto* node : idp::list<Node>(expressions)) {
    found = hull(found, numbers_of(level, node));
  }
  return found;
}

MaybeNumbers numbers_of(const QueryLevel& level, Node* node) {
  check_stack_depth();
  CHECK_FOR_INTERRUPTS();
  switch (nodeTag(node)) {
    case T_Const: {
      const auto* constant = as<Const>(node);
      if (constant->constisnull) return Numbers{true, 0, 0};
      if (!is_number(constant->consttype)) return std::nullopt;
      return numbers_between(constant->consttype, constant->constvalue, constant->constvalue);
    }
    case T_Var:
      return is_number(exprType(node)) ? numbers_of_column(level, node) : std::nullopt;
    case T_FuncExpr:
      return numbers_of_call(level, as<FuncExpr>(node));
    case T_OpExpr:
      return numbers_of_operation(level, as<OpExpr>(node));
    case T_MinMaxExpr: {
      const MaybeNumbers found = numbers_of_extreme(level, as<MinMaxExpr>(node));
      return found ? found : numbers_of_limits(level, as<MinMaxExpr>(node));
    }
    case T_WindowFunc: {
      Node* another = value_of_another(as<WindowFunc>(node));
      return another == nullptr ? std::nullopt : numbers_of(level, another);
    }
    default: {
      const List* values = values_chosen(node);
      return values == NIL ? std::nullopt : numbers_of_any(level, values);
    }
  }
}

// --- as constants ---

Const* constant_of(Oid type, int32 typmod, Oid collation, Datum value) {
  int16 length;
  bool by_value;
  get_typlenbyval(type, &length, &by_value);
  return makeConst(type, typmod, collation, length, value, false, by_value);
}

// Null if the type has no such number.
Const* constant_of_number(Oid type, Datum number) {
  const auto is_beyond = [&](int64 least, int64 most) {
    return DatumGetBool(call(numeric_lt, number, NumericGetDatum(int64_to_numeric(least)))) ||
           DatumGetBool(call(numeric_gt, number, NumericGetDatum(int64_to_numeric(most))));
  };
  switch (type) {
    case INT2OID:
      if (is_beyond(PG_INT16_MIN, PG_INT16_MAX)) return nullptr;
      return constant_of(type, -1, InvalidOid, call(numeric_int2, number));
    case INT4OID:
      if (is_beyond(PG_INT32_MIN, PG_INT32_MAX)) return nullptr;
      return constant_of(type, -1, InvalidOid, call(numeric_int4, number));
    case INT8OID:
      if (is_beyond(PG_INT64_MIN, PG_INT64_MAX)) return nullptr;
      return constant_of(type, -1, InvalidOid, call(numeric_int8, number));
    case FLOAT4OID:
    case FLOAT8OID:
      if (is_beyond(PG_INT64_MIN, PG_INT64_MAX)) return nullptr;
      return constant_of(type, -1, InvalidOid,
                         call(type == FLOAT4OID ? numeric_float4 : numeric_float8, number));
    case NUMERICOID:
      return constant_of(type, -1, InvalidOid, number);
    default:
      return nullptr;
  }
}

std::optional<Range> range_of_column(const QueryLevel& level, Node* expression) {
  Datum lower, upper;
  if (!known_bounds(level, expression, &lower, &upper)) return std::nullopt;
  const Oid type = exprType(expression);
  return Range{constant_of(type, -1, exprCollation(expression), lower),
               constant_of(type, -1, exprCollation(expression), upper)};
}

}  // namespace

std::optional<Range> range_of_number(const QueryLevel& level, Node* expression) {
  const MaybeNumbers numbers = numbers_of(level, expression);
  if (!numbers || numbers->is_empty) return std::nullopt;
  const Oid type = exprType(expression);
  const Range range{constant_of_number(type, numbers->lower),
                    constant_of_number(type, numbers->upper)};
  if (range.lower == nullptr || range.upper == nullptr) return std::nullopt;
  return range;
}

std::optional<Range> range_of(const QueryLevel& level, Node* expression) {
  if (is_number(exprType(expression))) return range_of_number(level, expression);
  return IsA(expression, Var) ? range_of_column(level, expression) : std::nullopt;
}

bool is_never_negative(const Range& range) {
  const auto lowest = number_of(range.lower->consttype, range.lower->constvalue);
  return lowest && DatumGetBool(call(numeric_ge, *lowest, call(int4_numeric, Int32GetDatum(0))));
}

Const* listed_keys(const QueryLevel& level, Node* expression) {
  const TableColumn column = column_of_whole(origin_of(level, expression));
  if (!OidIsValid(column.table)) return nullptr;
  if (!is_listed(column.table, column.number)) return nullptr;
  const Keys keys = keys_of(column.table, column.number);
  if (keys.values == nullptr || keys.type != exprType(expression)) return nullptr;
  int16 length;
  bool by_value;
  char alignment;
  // varchar[] and text[] look the same
  const Oid type = keys.type == VARCHAROID ? Oid{TEXTOID} : keys.type;
  get_typlenbyvalalign(type, &length, &by_value, &alignment);
  ArrayType* list = construct_array(keys.values, keys.count, type, length, by_value, alignment);
  return makeConst(get_array_type(type), -1, keys.collation, -1, PointerGetDatum(list), false,
                   false);
}

}  // namespace idp
