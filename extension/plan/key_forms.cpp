#include "extension/plan/key_forms.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "extension/pg/expression_kinds.h"
#include "extension/pg/fold.h"
#include "extension/pg/groups.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/digits.h"
#include "extension/total/twins.h"
#include "extension/types/numeric_grid.h"

extern "C" {
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

// No query: columns may hold whatever their type allows.

// What a column of a subquery is computed by; null if that is not one expression.
const Node* computed_by(const Query* query, const Var* column, const Query** within) {
  if (query == nullptr || column->varlevelsup > 0 || column->varattno <= 0) return nullptr;
  const RangeTblEntry* entry = rt_fetch(column->varno, query->rtable);
  if (grouped_in(entry) != NIL) {
    *within = query;
    return grouped_by(entry, column->varattno);
  }
  if (entry->rtekind != RTE_SUBQUERY || entry->subquery->setOperations != nullptr) return nullptr;
  const TargetEntry* target = column_shown(entry->subquery->targetList, column->varattno);
  *within = entry->subquery;
  return target == nullptr ? nullptr : as<Node>(target->expr);
}

const Const* constant_argument(const FuncExpr* call, int i) {
  if (i >= list_length(call->args)) return nullptr;
  const auto* constant = static_cast<const Const*>(list_nth(call->args, i));
  return IsA(constant, Const) && !constant->constisnull ? constant : nullptr;
}

bool is_null(const Node* node) { return IsA(node, Const) && as<Const>(node)->constisnull; }

// What min() and max() give one of; null of anything else.
const Node* value_of_end(const Node* node) {
  const auto* call = maybe<Aggref>(node);
  if (call == nullptr) return nullptr;
  switch (call->aggfnoid) {
    case F_MIN_NUMERIC:
    case F_MAX_NUMERIC:
    case F_MIN_FLOAT8:
    case F_MAX_FLOAT8:
      return as<Node>(static_cast<const TargetEntry*>(linitial(call->args))->expr);
    default:
      return nullptr;
  }
}

// --- numeric: so many digits behind the point, in all values but those that are no numbers ---

using Scale = std::optional<int>;

// None, if a typmod is none of numeric: then it changes no value.
Scale scale_given(int32 typmod) {
  if (typmod < static_cast<int32>(VARHDRSZ)) return std::nullopt;
  return std::max(scale_of_typmod(typmod), 0);
}

Scale scale_of(const Query* query, const Node* node);

Scale scale_of_choice(const Query* query, const Node* node) {
  Scale scale;
  for (const auto* part : list<Node>(values_chosen(node))) {
    if (is_null(part)) continue;
    const Scale other = scale_of(query, part);
    if (!other || (scale && *scale != *other)) return std::nullopt;
    scale = other;
  }
  return scale;
}

Scale digits_given(const FuncExpr* call) {
  const Const* digits = constant_argument(call, 1);
  if (digits == nullptr) return std::nullopt;
  const int32 given = DatumGetInt32(digits->constvalue);
  if (given > NUMERIC_MAX_PRECISION) return std::nullopt;  // servers cut them at different ones
  return std::max(given, 0);
}

// Of a field of a day, an instant or an interval.
Scale scale_of_field(const FuncExpr* call) {
  const Const* name = constant_argument(call, 0);
  if (name == nullptr) return std::nullopt;
  const char* field = TextDatumGetCString(name->constvalue);
  for (const char* whole : {"year", "quarter", "month", "week", "day", "dow", "isodow", "doy",
                            "isoyear", "decade", "century", "millennium", "hour", "minute"}) {
    if (pg_strcasecmp(field, whole) == 0) return 0;
  }
  if (pg_strcasecmp(field, "epoch") != 0 || call->funcid == F_EXTRACT_TEXT_INTERVAL) {
    return std::nullopt;
  }
  return call->funcid == F_EXTRACT_TEXT_DATE ? 0 : 6;
}

Scale scale_of_call(const Query* query, const FuncExpr* call) {
  switch (call->funcid) {
    case F_NUMERIC_INT2:
    case F_NUMERIC_INT4:
    case F_NUMERIC_INT8:
    case F_FLOOR_NUMERIC:
    case F_CEIL_NUMERIC:
    case F_CEILING_NUMERIC:
    case F_ROUND_NUMERIC:
    case F_TRUNC_NUMERIC:
      return 0;
    case F_ROUND_NUMERIC_INT4:
    case F_TRUNC_NUMERIC_INT4:
      return digits_given(call);
    case F_NUMERIC_NUMERIC_INT4: {
      const Const* typmod = constant_argument(call, 1);
      return typmod == nullptr ? std::nullopt : scale_given(DatumGetInt32(typmod->constvalue));
    }
    case F_EXTRACT_TEXT_DATE:
    case F_EXTRACT_TEXT_INTERVAL:
    case F_EXTRACT_TEXT_TIME:
    case F_EXTRACT_TEXT_TIMESTAMP:
    case F_EXTRACT_TEXT_TIMESTAMPTZ:
      return scale_of_field(call);
    default: {
      const Node* original = original_of(reinterpret_cast<Node*>(const_cast<FuncExpr*>(call)));
      return original == as<Node>(call) ? std::nullopt : scale_of(query, original);
    }
  }
}

Scale scale_of_operation(const Query* query, const OpExpr* operation) {
  const auto scale = [&](int i) {
    return scale_of(query, static_cast<const Node*>(list_nth(operation->args, i)));
  };
  switch (get_opcode(operation->opno)) {
    case F_NUMERIC_UMINUS:
    case F_NUMERIC_UPLUS:
      return scale(0);
    case F_NUMERIC_ADD:
    case F_NUMERIC_SUB:
    case F_NUMERIC_MOD: {
      const Scale a = scale(0);
      const Scale b = scale(1);
      return a && b ? Scale{std::max(*a, *b)} : std::nullopt;
    }
    case F_NUMERIC_MUL: {
      const Scale a = scale(0);
      const Scale b = scale(1);
      // a product of more digits is cut
      return a && b && *a + *b <= NUMERIC_MAX_PRECISION ? Scale{*a + *b} : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

// Of a column of UNION: as many digits in all of its parts.
Scale scale_in_union(const Query* query, const Node* part, AttrNumber column) {
  check_stack_depth();
  if (IsA(part, RangeTblRef)) {
    const Query* rows = rt_fetch(as<RangeTblRef>(part)->rtindex, query->rtable)->subquery;
    if (rows == nullptr || rows->commandType != CMD_SELECT) return std::nullopt;
    if (rows->setOperations != nullptr) return scale_in_union(rows, rows->setOperations, column);
    const TargetEntry* target = column_shown(rows->targetList, column);
    return target == nullptr ? std::nullopt : scale_of(rows, as<Node>(target->expr));
  }
  const auto* operation = as<SetOperationStmt>(part);
  const Scale left = scale_in_union(query, operation->larg, column);
  const Scale right = left ? scale_in_union(query, operation->rarg, column) : std::nullopt;
  return right && *left == *right ? left : std::nullopt;
}

// Null unless it is a column that UNION gives.
const Query* union_of(const Query* query, const Var* column) {
  if (query == nullptr || column->varlevelsup > 0 || column->varattno <= 0) return nullptr;
  const RangeTblEntry* entry = rt_fetch(column->varno, query->rtable);
  const bool is_union = entry->rtekind == RTE_SUBQUERY && entry->subquery->setOperations != nullptr;
  return is_union ? entry->subquery : nullptr;
}

Scale scale_of(const Query* query, const Node* node) {
  check_stack_depth();
  if (exprType(node) != NUMERICOID) return std::nullopt;
  switch (nodeTag(node)) {
    case T_Const: {
      const Datum value = as<Const>(node)->constvalue;
      if (is_null(node) || !is_finite_numeric(value)) return std::nullopt;
      return scale_of_numeric(value);
    }
    case T_Var: {
      const auto* column = as<Var>(node);
      const Query* within = nullptr;
      if (const Node* computed = computed_by(query, column, &within)) {
        return scale_of(within, computed);
      }
      if (const Query* united = union_of(query, column)) {
        return scale_in_union(united, united->setOperations, column->varattno);
      }
      return query == nullptr ? std::nullopt : scale_given(column->vartypmod);
    }
    case T_FuncExpr:
      return scale_of_call(query, as<FuncExpr>(node));
    case T_OpExpr:
      return scale_of_operation(query, as<OpExpr>(node));
    case T_Aggref: {
      const Node* value = value_of_end(node);
      return value == nullptr ? std::nullopt : scale_of(query, value);
    }
    default:
      return scale_of_choice(query, node);
  }
}

// --- quotients of numeric ---

MaybeDigits digits_of_computed(const Query* query, const Var* column) {
  check_stack_depth();
  const Query* within = nullptr;
  const Node* computed = computed_by(query, column, &within);
  if (computed == nullptr) return std::nullopt;
  return digits_of(const_cast<Node*>(computed),
                   [within](const Var* deeper) { return digits_of_computed(within, deeper); });
}

// Whether it divides numbers of few digits, as many behind the point in all of them, by a constant.
//
// A quotient is rounded to a number of digits that hangs on what is divided. If that is the same,
// so are the digits. What differs has other quotients: let v have b digits before the point and s
// behind it, and w be another such number with |w| <= |v|. The quotient v / c is at least 10^(4 q)
// for the weight q that the server expects of it, and is rounded to a multiple of 10^(4 q - 16) at
// least; that of w, whose weight is no greater, to one of the same or finer. But v / c and w / c
// are |v / c| * |v - w| / |v| >= 10^(4 q) * 10^-(b + s) apart, which is more than that if b + s
// < 16.
bool is_quotient_of_one_form(const Query* query, const Node* node) {
  constexpr int kMostDigits = 15;
  constexpr int kMostOfDivisor = 100;  // the server computes no more than a thousand digits
  if (!IsA(node, OpExpr) || get_opcode(as<OpExpr>(node)->opno) != F_NUMERIC_DIV) return false;
  const auto* operation = as<OpExpr>(node);
  auto* divided = static_cast<Node*>(linitial(operation->args));
  const auto* divisor = maybe<Const>(static_cast<const Node*>(lsecond(operation->args)));
  if (divisor == nullptr || divisor->constisnull || !is_finite_numeric(divisor->constvalue) ||
      !scale_of(query, divided)) {
    return false;
  }
  const MaybeDigits of_divisor =
      digits_of(as<Node>(const_cast<Const*>(divisor)), [](const Var*) { return MaybeDigits{}; });
  if (!of_divisor || of_divisor->before + of_divisor->behind > kMostOfDivisor) return false;
  const MaybeDigits digits =
      digits_of(divided, [query](const Var* column) { return digits_of_computed(query, column); });
  return digits && digits->before + digits->behind <= kMostDigits;
}

// --- float: never -0, and one NaN ---

// Whether an expression chooses one of some values, and all are so.
bool is_chosen_of(const Query* query, const Node* node, bool (*is_so)(const Query*, const Node*)) {
  const List* values = values_chosen(node);
  for (const auto* value : list<Node>(values)) {
    if (!is_so(query, value)) return false;
  }
  return values != NIL;
}

bool is_infinite(const Node* node) {
  return !std::isfinite(DatumGetFloat8(as<Const>(node)->constvalue));
}

// What is divided by infinity is 0, with the sign that it had.
bool is_positive(const Node* node) {
  if (!IsA(node, Const) || is_null(node) || exprType(node) != FLOAT8OID) return false;
  return DatumGetFloat8(as<Const>(node)->constvalue) > 0 && !is_infinite(node);
}

// What overflows is an error.
bool is_finite(const Node* node) {
  if (IsA(node, Const)) return is_null(node) || !is_infinite(node);
  const auto* call = maybe<FuncExpr>(node);
  return call != nullptr && (call->funcid == F_FLOAT8_INT2 || call->funcid == F_FLOAT8_INT4 ||
                             call->funcid == F_FLOAT8_INT8);
}

bool is_never_minus_zero(const Query* query, const Node* node);

bool is_never_minus_zero_call(const Query* query, const FuncExpr* call) {
  switch (call->funcid) {
    case F_FLOAT8_INT2:
    case F_FLOAT8_INT4:
    case F_FLOAT8_INT8:
    case F_FLOAT8_NUMERIC:
    case F_DATE_PART_TEXT_DATE:
    case F_DATE_PART_TEXT_INTERVAL:
    case F_DATE_PART_TEXT_TIME:
    case F_DATE_PART_TEXT_TIMESTAMP:
    case F_DATE_PART_TEXT_TIMESTAMPTZ:
      return true;
    case F_FLOOR_FLOAT8:  // it makes no 0 of what is negative
      return is_never_minus_zero(query, static_cast<const Node*>(linitial(call->args)));
    case F_CEIL_FLOAT8:
    case F_CEILING_FLOAT8:
    case F_ROUND_FLOAT8:
    case F_TRUNC_FLOAT8:  // they make -0 of what is between -1 and 0, but of no whole number
      return IsA(linitial(call->args), FuncExpr) &&
             is_finite(static_cast<const Node*>(linitial(call->args)));
    default:
      return false;
  }
}

// A sum is -0 of two of them alone, and a difference of one. What is too small is an error.
bool is_never_minus_zero_operation(const Query* query, const OpExpr* operation) {
  if (list_length(operation->args) != 2) return false;
  const auto* left = static_cast<const Node*>(linitial(operation->args));
  const auto* right = static_cast<const Node*>(lsecond(operation->args));
  switch (get_opcode(operation->opno)) {
    case F_FLOAT8PL:
      return is_never_minus_zero(query, left) || is_never_minus_zero(query, right);
    case F_FLOAT8MI:
      return is_never_minus_zero(query, left);
    case F_FLOAT8MUL:
      if (is_positive(left)) std::swap(left, right);
      return is_positive(right) && is_never_minus_zero(query, left);
    case F_FLOAT8DIV:
      return is_positive(right) && is_never_minus_zero(query, left);
    default:
      return false;
  }
}

bool is_never_minus_zero(const Query* query, const Node* node) {
  check_stack_depth();
  if (exprType(node) != FLOAT8OID) return false;
  switch (nodeTag(node)) {
    case T_Const: {
      const double value = DatumGetFloat8(as<Const>(node)->constvalue);
      return is_null(node) || value != 0 || !std::signbit(value);
    }
    case T_Var: {
      const Query* within = nullptr;
      const Node* computed = computed_by(query, as<Var>(node), &within);
      return computed != nullptr && is_never_minus_zero(within, computed);
    }
    case T_FuncExpr:
      return is_never_minus_zero_call(query, as<FuncExpr>(node));
    case T_OpExpr:
      return is_never_minus_zero_operation(query, as<OpExpr>(node));
    case T_Aggref: {
      const Node* value = value_of_end(node);
      return value != nullptr && is_never_minus_zero(query, value);
    }
    default:
      return is_chosen_of(query, node, is_never_minus_zero);
  }
}

bool has_one_nan(const Query* query, const Node* node);

// The processor makes a NaN of its own, with a sign, of two numbers that are not finite, and of 0
// times one. It passes on what it is given.
bool has_one_nan_of(const Query* query, const OpExpr* operation) {
  if (list_length(operation->args) != 2) return false;
  const auto* left = static_cast<const Node*>(linitial(operation->args));
  const auto* right = static_cast<const Node*>(lsecond(operation->args));
  if (!has_one_nan(query, left) || !has_one_nan(query, right)) return false;
  switch (get_opcode(operation->opno)) {
    case F_FLOAT8PL:
    case F_FLOAT8MI:
      return is_finite(left) || is_finite(right);
    case F_FLOAT8MUL:
      return is_positive(left) || is_positive(right);
    case F_FLOAT8DIV:
      return is_positive(right);
    default:
      return false;
  }
}

bool has_one_nan(const Query* query, const Node* node) {
  check_stack_depth();
  if (exprType(node) != FLOAT8OID) return false;
  switch (nodeTag(node)) {
    case T_Const:
      return is_finite(node) || !std::signbit(DatumGetFloat8(as<Const>(node)->constvalue)) ||
             !std::isnan(DatumGetFloat8(as<Const>(node)->constvalue));
    case T_Var: {
      const Query* within = nullptr;
      const Node* computed = computed_by(query, as<Var>(node), &within);
      return computed != nullptr && has_one_nan(within, computed);
    }
    case T_FuncExpr: {
      const auto* call = as<FuncExpr>(node);
      // others are casts, or of whole numbers
      if (call->funcid != F_FLOOR_FLOAT8) return is_never_minus_zero_call(query, call);
      return has_one_nan(query, static_cast<const Node*>(linitial(call->args)));
    }
    case T_OpExpr:
      return has_one_nan_of(query, as<OpExpr>(node));
    case T_Aggref: {
      const Node* value = value_of_end(node);
      return value != nullptr && has_one_nan(query, value);
    }
    default:
      return is_chosen_of(query, node, has_one_nan);
  }
}

}  // namespace

bool is_number_of_one_form(const Node* expression) {
  const Oid type = exprType(expression);
  return (type == NUMERICOID || type == FLOAT8OID) && has_one_key_form(nullptr, expression);
}

bool has_one_key_form(const Query* query, const Node* key) {
  const Node* expression = folded(key);
  switch (exprType(expression)) {
    case NUMERICOID:
      return scale_of(query, expression).has_value() || is_quotient_of_one_form(query, expression);
    case FLOAT8OID:
      return is_never_minus_zero(query, expression) && has_one_nan(query, expression);
    default:
      return has_one_form(exprType(expression), exprTypmod(expression), exprCollation(expression));
  }
}

}  // namespace idp
