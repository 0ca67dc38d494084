#include "extension/rewrite/clipped_values.h"

#include <algorithm>
#include <cmath>

#include "extension/access/plain_settings.h"
#include "extension/pg/fold.h"
#include "extension/pg/groups.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/number_types.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/digits.h"
#include "extension/rewrite/linked_rows.h"
#include "extension/rewrite/never_null.h"
#include "extension/rewrite/private_call.h"
#include "extension/rewrite/row_keys.h"
#include "extension/rewrite/symmetric_sums.h"
#include "extension/rewrite/unit_column.h"
#include "extension/rewrite/unit_ranges.h"
#include "extension/domain/ranges.h"
#include "extension/plan/used_columns.h"
#include "extension/types/numeric_grid.h"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "nodes/makefuncs.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

// --- bounds ---

// Digits after the point that values of a bound keep: of many the sum has none that are too few, of
// few as many as make ten together.
constexpr int kFewestDigits = 4;
constexpr int kMostDigits = 9;  // numeric of no declared precision is summed with as many
constexpr int kDigits = 10;
// All digits of a bound: its steps are 64-bit integers (aggregate/clip.cpp).
constexpr int kMostDigitsOfAll = 18;
constexpr int64 kMostMagnitude = 1'000'000'000'000'000'000;

Datum numeric_of(int64 value) { return NumericGetDatum(int64_to_numeric(value)); }

Const* numeric_constant(Datum value) {
  return makeConst(NUMERICOID, -1, InvalidOid, -1, value, false, false);
}

// As many rows as a unit may have of a magnitude, with the digits that its values keep; null if
// these are too many.
Const* bound_of(Datum magnitude, int64 rows, int scale_of_values) {
  const Datum most = numeric_of(kMostMagnitude);  // neither product nor double overflows
  if (!DatumGetBool(DirectFunctionCall2(numeric_le, magnitude, most))) return nullptr;
  const Datum product = DirectFunctionCall2(numeric_mul, magnitude, numeric_of(rows));
  const Datum bound = DirectFunctionCall1(numeric_trim_scale, product);  // a quotient has zeros
  const double size = DatumGetFloat8(DirectFunctionCall1(numeric_float8, bound));
  const int before = size < 1 ? 0 : static_cast<int>(std::floor(std::log10(size))) + 1;
  const int wanted =
      std::max(scale_of_values, std::clamp(kDigits - before, kFewestDigits, kMostDigits));
  const int scale = std::max(wanted, scale_of_numeric(bound));
  if (scale > kMostDigits || before + scale > kMostDigitsOfAll) return nullptr;
  return numeric_constant(DirectFunctionCall2(numeric_round, bound, Int32GetDatum(scale)));
}

// --- expressions ---

Node* copy_of(const void* node) { return static_cast<Node*>(copyObjectImpl(node)); }

// --- a plain call ---

struct Plain {
  const QueryLevel& level;
  const Aggref* call;
  Node* argument;  // null of count(*)
  const Clipping& clipping;
};

// The sum of a value, no more than the bound away from 0 and maybe on one side of it.
Node* sum_of(const Plain& plain, const ClippedValue& value, bool is_signed) {
  const Datum least =
      is_signed ? DirectFunctionCall1(numeric_uminus, value.bound->constvalue) : numeric_of(0);
  const Clipping& clipping = plain.clipping;
  List* arguments =
      list_make2(clipping.clip(value, clipping.context), float_constant(epsilon_of_answers()));
  if (!value.is_found) {
    arguments = lappend(arguments, numeric_constant(least));
    arguments = lappend(arguments, copy_of(value.bound));
  }
  return as<Node>(private_call("dp_sum", arguments));
}

// Of a column of a subquery: of what that computes.
MaybeDigits digits_below(const Query* query, const Var* column) {
  check_stack_depth();
  if (column->varlevelsup > 0 || column->varattno <= 0) return std::nullopt;
  const RangeTblEntry* entry = rt_fetch(column->varno, query->rtable);
  if (entry->rtekind != RTE_SUBQUERY || entry->subquery->setOperations != nullptr) {
    return std::nullopt;
  }
  const TargetEntry* target = column_shown(entry->subquery->targetList, column->varattno);
  if (target == nullptr) return std::nullopt;
  return digits_of(as<Node>(target->expr),
                   [&](const Var* deeper) { return digits_below(entry->subquery, deeper); });
}

MaybeDigits digits_of_value(const QueryLevel& level, const Node* value) {
  return digits_of(const_cast<Node*>(value),
                   [&](const Var* column) { return digits_below(level.query, column); });
}

bool has_few_digits(const QueryLevel& level, const Node* value) {
  constexpr int kFew = 1000;
  const MaybeDigits digits = digits_of_value(level, value);
  return digits && digits->before + digits->behind <= kFew;
}

// A column, a constant, and sums, differences and products of numeric ones that have few digits: of
// many the twins are NULL.
bool is_never_null(const QueryLevel& level, const Node* value) {
  check_stack_depth();
  const auto are_never = [&](const List* parts) {
    for (const auto* part : list<Node>(parts)) {
      if (!is_never_null(level, part)) return false;
    }
    return true;
  };
  switch (nodeTag(value)) {
    case T_Const:
      return !as<Const>(value)->constisnull;
    case T_RelabelType:
      return is_never_null(level, as<Node>(as<RelabelType>(value)->arg));
    case T_OpExpr: {
      const Oid function = get_opcode(as<OpExpr>(value)->opno);
      return (function == F_NUMERIC_ADD || function == F_NUMERIC_SUB ||
              function == F_NUMERIC_MUL) &&
             are_never(as<OpExpr>(value)->args) && has_few_digits(level, value);
    }
    case T_FuncExpr: {
      const Oid function = as<FuncExpr>(value)->funcid;
      return (function == F_NUMERIC_INT2 || function == F_NUMERIC_INT4 ||
              function == F_NUMERIC_INT8) &&
             are_never(as<FuncExpr>(value)->args);
    }
    default:
      return is_never_null_column(level.query, value);
  }
}

// Which rows the aggregate takes in; null if all.
Node* rows_taken(const Plain& plain) {
  Node* condition = copy_of(plain.call->aggfilter);
  if (plain.argument == nullptr || is_never_null(plain.level, plain.argument)) return condition;
  return make_and_qual(condition, null_test(copy_of(plain.argument), IS_NOT_NULL));
}

Node* number_of_rows(const Plain& plain) {
  const ClippedValue value{where(rows_taken(plain), as<Node>(numeric_constant(numeric_of(1)))),
                           bound_of(numeric_of(1), plain.clipping.most, 0), false};
  return value.bound == nullptr ? nullptr : sum_of(plain, value, false);
}

Node* count(const Plain& plain) {
  Node* number = number_of_rows(plain);
  if (number == nullptr) return nullptr;
  return never_negative(plain.call, as_type_of(plain.call, number));
}

// count(DISTINCT customer) of the rows of one.
Node* one_if_any(const Aggref* count) {
  auto* all = as<Aggref>(copy_of(count));
  all->aggdistinct = NIL;
  static_cast<TargetEntry*>(linitial(all->args))->ressortgroupref = 0;
  return end_of(IS_LEAST, as<Node>(all), bigint(1));
}

// How many rows of a linked table, that a column tells, a unit has in all groups together; 0 if
// that is not known. Those that are in several groups are no more than the rows that are read.
int64 most_rows_told(const Plain& plain) {
  const QueryLevel& level = plain.level;
  const int64 most = most_rows_told_by(origin_of(level, plain.argument));
  if (most == 0) return 0;
  for (auto* key : list<Node>(grouped_expressions(level.query))) {
    if (!follows_from_row(level, key, as<Var>(plain.argument))) return plain.clipping.most;
  }
  return std::min(most, plain.clipping.most);
}

// count(DISTINCT customer): each unit is one in each of its groups. count(DISTINCT "order"): each
// unit has so many there.
Node* count_of_different(const Plain& plain) {
  const bool counts = plain.clipping.most_groups > 0 && plain.call->aggfnoid == F_COUNT_ANY &&
                      plain.argument != nullptr;
  if (!counts) return nullptr;
  const bool is_of_units = is_unit(plain.level, plain.argument);
  const int64 most = is_of_units ? plain.clipping.most_groups : most_rows_told(plain);
  if (most == 0) return nullptr;
  Node* number = is_of_units ? one_if_any(plain.call) : copy_of(plain.call);
  const ClippedValue value{as_type(number, NUMERICOID), bound_of(numeric_of(1), most, 0), false,
                           is_of_units};
  if (value.bound == nullptr) return nullptr;
  return never_negative(plain.call, as_type_of(plain.call, sum_of(plain, value, false)));
}

struct Sum {
  Node* answer = nullptr;  // numeric
  bool is_signed = false;
  int digits = -1;  // after the point, that the plain sum would have; -1: not known
  Range range = {nullptr, nullptr};
};

Datum magnitude_of(const Const* bound) {
  const Node* number = as_type(copy_of(bound), NUMERICOID);
  const auto* constant = as<Const>(eval_const_expressions(nullptr, const_cast<Node*>(number)));
  return DirectFunctionCall1(numeric_abs, constant->constvalue);
}

// So many after the point as a sum of the values shows; -1: not known.
int digits_shown(const QueryLevel& level, Node* value) {
  const Oid type = exprType(value);
  if (type == FLOAT4OID || type == FLOAT8OID) return -1;
  const MaybeDigits digits = digits_of_value(level, value);
  return digits && digits->behind <= kMostDigits ? digits->behind : -1;
}

// Whether no join repeats the rows whose columns a value names.
bool are_told_once(const QueryLevel& level, Node* value) {
  UsedColumns used{entry_of_groups(level.query)};
  add_used_columns(&used, value);
  if (!used.is_plain) return false;
  for (const auto* column : list<Var>(used.columns)) {
    if (!is_told_once(level.query, static_cast<int>(column->varno))) return false;
  }
  return true;
}

bool is_more_than_one(Datum magnitude) {
  return DatumGetBool(DirectFunctionCall2(numeric_gt, magnitude, numeric_of(1)));
}

Sum sum_of_argument(const Plain& plain) {
  Node* base = copy_of(plain.argument);
  if (getBaseType(exprType(base)) != exprType(base))
    base = as_type(base, getBaseType(exprType(base)));
  std::optional<Range> range = range_of_number(plain.level, base);
  int64 most = plain.clipping.most;
  if (!range && are_told_once(plain.level, base)) {
    // of what all rows of a unit add up to: its parts, by months, are no more together
    range = range_of_total(plain.level, base);
    if (range) most = 1;
  }
  if (!range) range = range_of_extreme(plain.level, base);
  if (!range) return {};
  Sum sum;
  sum.range = *range;
  sum.is_signed = !is_never_negative(*range);
  sum.digits = digits_shown(plain.level, base);
  const Datum magnitude =
      DirectFunctionCall2(numeric_larger, magnitude_of(range->lower), magnitude_of(range->upper));
  Node* value = as_type(between(base, copy_of(range->lower), copy_of(range->upper)), NUMERICOID);
  if (!names_columns(value)) value = folded(value);  // as in count(*)
  // Of NULL and a bound GREATEST is the bound.
  const bool is_found = plain.clipping.finds && is_more_than_one(magnitude);
  const ClippedValue clipped{where(rows_taken(plain), value),
                             bound_of(magnitude, most, std::max(sum.digits, 0)), is_found};
  if (clipped.bound == nullptr) return {};
  sum.answer = sum_of(plain, clipped, sum.is_signed);
  return sum;
}

Node* rounded(Node* number, int digits) {
  if (digits < 0) return number;
  Node* scale = as<Node>(
      makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(digits), false, true));
  return as<Node>(makeFuncExpr(F_ROUND_NUMERIC_INT4, NUMERICOID, list_make2(number, scale),
                               InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
}

Node* sum(const Plain& plain) {
  const Sum sum = sum_of_argument(plain);
  if (sum.answer == nullptr) return nullptr;
  Node* answer = as_type_of(plain.call, rounded(sum.answer, sum.digits));
  return sum.is_signed ? answer : never_negative(plain.call, answer);
}

// NULL where the number of rows may be 0 for all that can be seen, or is shown as 0.
Node* average(const Plain& plain) {
  const Sum sum = sum_of_argument(plain);
  Node* number = sum.answer == nullptr ? nullptr : number_of_rows(plain);
  if (number == nullptr) return nullptr;
  Node* least = as_type(as<Node>(float_constant(margin_of_rows(plain.clipping.most))), NUMERICOID);
  Node* quotient = as_type(operation("/", sum.answer, number), plain.call->aggtype);
  Node* lower = as_type(copy_of(sum.range.lower), plain.call->aggtype);
  Node* upper = as_type(copy_of(sum.range.upper), plain.call->aggtype);
  return where(operation(">", copy_of(number), least), between(quotient, lower, upper));
}

// The value of a unit's own row, between its bounds, once in each of its groups.
Node* value_of_unit(const SumByKey& sum, const Range& range) {
  Node* value = between(copy_of(sum.value), copy_of(range.lower), copy_of(range.upper));
  Aggref* one =
      sum_where_not_null(sum.sum, as_type(value, NUMERICOID), sum.sum->aggfilter, sum.key);
  one->aggfnoid = F_MAX_NUMERIC;
  return as<Node>(one);
}

struct Answered {
  const char* name;
  Node* (*answer)(const Plain& plain);
};
constexpr Answered kAnswered[] = {{"count", count}, {"sum", sum}, {"avg", average}};

}  // namespace

Node* sum_of_clipped_units(const QueryLevel& level, const SumByKey& sum, const Clipping& clipping) {
  if (clipping.most_groups == 0 || !is_of_own_row(level, sum)) return nullptr;
  const auto range = range_of_number(level, sum.value);
  if (!range) return nullptr;
  const int digits = digits_shown(level, sum.value);
  const Datum magnitude =
      DirectFunctionCall2(numeric_larger, magnitude_of(range->lower), magnitude_of(range->upper));
  const ClippedValue value{value_of_unit(sum, *range),
                           bound_of(magnitude, clipping.most_groups, std::max(digits, 0)), false,
                           true};
  if (value.bound == nullptr) return nullptr;
  const bool is_signed = !is_never_negative(*range);
  Node* answer = rounded(sum_of({level, sum.sum, sum.value, clipping}, value, is_signed), digits);
  return is_signed ? answer : never_negative(sum.sum, answer);
}

double margin_of_rows(int64 most) {
  return std::max(0.5, static_cast<double>(most) * std::log(20) / epsilon_of_answers());
}

Node* answer_of_clipped(const QueryLevel& level, const Aggref* plain, const Clipping& clipping) {
  if (plain->aggfnoid >= FirstNormalObjectId || plain->agglevelsup > 0 ||
      list_length(plain->args) > 1 || plain->aggorder != NIL || plain->aggkind != AGGKIND_NORMAL) {
    return nullptr;
  }
  const char* name = get_func_name(plain->aggfnoid);
  Node* argument = plain->args == NIL
                       ? nullptr
                       : as<Node>(static_cast<const TargetEntry*>(linitial(plain->args))->expr);
  if (plain->aggdistinct != NIL) return count_of_different({level, plain, argument, clipping});
  for (const Answered& answered : kAnswered) {
    if (strcmp(answered.name, name) == 0)
      return answered.answer({level, plain, argument, clipping});
  }
  return nullptr;
}

}  // namespace idp
