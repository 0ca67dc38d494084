#include "extension/plan/digits.h"

#include <algorithm>
#include <cstring>

#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/node_rules.h"
#include "extension/total/twins.h"
#include "extension/types/numeric_grid.h"

extern "C" {
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/numeric.h"
}

namespace idp {

namespace {

// A numeric holds 131072 before the point; squares have twice as many. What has more than these is
// not followed any further.
constexpr int kFew = 10000;
// What a quotient has behind the point: the server computes no more.
constexpr int kOfQuotient = 1000;
// Of the number of rows that a sum is of.
constexpr int kOfRows = 19;

Digits either(const Digits& a, const Digits& b) {
  return {std::max(a.before, b.before), std::max(a.behind, b.behind)};
}

Digits both(const Digits& a, const Digits& b) { return {a.before + b.before, a.behind + b.behind}; }

// Of any of some values; put_together: how the digits of two are.
MaybeDigits of_all(const List* nodes, const DigitsOfColumn& of_column,
                   Digits (*put_together)(const Digits&, const Digits&) = either) {
  Digits found{0, 0};
  for (auto* node : list<Node>(nodes)) {
    const MaybeDigits digits = digits_of(node, of_column);
    if (!digits) return std::nullopt;
    found = put_together(found, *digits);
  }
  return found;
}

MaybeDigits of_type(Oid type) {
  switch (type) {
    case INT2OID:
      return Digits{5, 0};
    case INT4OID:
      return Digits{10, 0};
    case INT8OID:
      return Digits{19, 0};
    case FLOAT4OID:
      return Digits{39, 60};
    case FLOAT8OID:
      return Digits{309, 400};
    default:
      return std::nullopt;
  }
}

MaybeDigits of_typmod(int32 typmod) {
  if (typmod < static_cast<int32>(VARHDRSZ)) return std::nullopt;
  const int precision = precision_of_typmod(typmod);
  const int scale = scale_of_typmod(typmod);
  return Digits{std::max(precision - scale, 0), std::max(scale, 0)};
}

MaybeDigits of_constant(const Const* constant) {
  if (constant->constisnull) return Digits{0, 0};
  if (constant->consttype != NUMERICOID) return of_type(constant->consttype);
  const char* text = DatumGetCString(DirectFunctionCall1(numeric_out, constant->constvalue));
  const auto before = static_cast<int>(strcspn(text, "."));
  return Digits{before, std::max(static_cast<int>(strlen(text)) - before - 1, 0)};
}

// Of the server's functions over numbers, be they called by operators.
MaybeDigits of_call(Oid function, const List* arguments, const DigitsOfColumn& of_column) {
  switch (function) {
    case F_EXTRACT_TEXT_DATE:
    case F_EXTRACT_TEXT_TIME:
    case F_EXTRACT_TEXT_TIMETZ:
    case F_EXTRACT_TEXT_TIMESTAMP:
    case F_EXTRACT_TEXT_TIMESTAMPTZ:
    case F_EXTRACT_TEXT_INTERVAL:
      return Digits{25, kOfQuotient};
    case F_ROUND_NUMERIC_INT4:
    case F_TRUNC_NUMERIC_INT4:
      arguments = list_make1(linitial(arguments));
      break;
    default:
      break;
  }
  const MaybeDigits all = of_all(arguments, of_column, function == F_NUMERIC_MUL ? both : either);
  if (!all) return std::nullopt;
  switch (function) {
    case F_NUMERIC_INT2:
    case F_NUMERIC_INT4:
    case F_NUMERIC_INT8:
    case F_NUMERIC_FLOAT4:
    case F_NUMERIC_FLOAT8:
    case F_NUMERIC_NUMERIC_INT4:
    case F_NUMERIC_UPLUS:
    case F_NUMERIC_UMINUS:
    case F_NUMERIC_ABS:
    case F_ABS_NUMERIC:
    case F_NUMERIC_MOD:
    case F_MOD_NUMERIC_NUMERIC:
    case F_NUMERIC_MUL:
      return all;
    case F_NUMERIC_ADD:
    case F_NUMERIC_SUB:
    case F_ROUND_NUMERIC_INT4:
    case F_TRUNC_NUMERIC_INT4:
      return Digits{all->before + 1, all->behind};
    case F_ROUND_NUMERIC:
    case F_TRUNC_NUMERIC:
    case F_CEIL_NUMERIC:
    case F_CEILING_NUMERIC:
    case F_FLOOR_NUMERIC:
      return Digits{all->before + 1, 0};
    case F_NUMERIC_DIV:  // by the least number that is not 0
    case F_DIV:
      return Digits{all->before + all->behind, std::max(kOfQuotient, all->behind)};
    default:
      return std::nullopt;
  }
}

MaybeDigits of_aggregate(const Aggref* call, const DigitsOfColumn& of_column) {
  if (call->aggsplit != AGGSPLIT_SIMPLE || list_length(call->args) != 1) return std::nullopt;
  auto* argument = as<Node>(static_cast<const TargetEntry*>(linitial(call->args))->expr);
  const MaybeDigits digits = digits_of(argument, of_column);
  if (!digits) return std::nullopt;
  switch (call->aggfnoid) {
    case F_MIN_NUMERIC:
    case F_MAX_NUMERIC:
      return digits;
    case F_SUM_INT8:
    case F_SUM_NUMERIC:
      return Digits{digits->before + kOfRows, digits->behind};
    case F_AVG_INT2:
    case F_AVG_INT4:
    case F_AVG_INT8:
    case F_AVG_NUMERIC:
      return Digits{digits->before + 1, std::max(kOfQuotient, digits->behind)};
    default:
      return std::nullopt;
  }
}

MaybeDigits digits_of_kind(Node* given, const DigitsOfColumn& of_column) {
  Node* node = original_of(given);
  if (const MaybeDigits digits = of_type(exprType(node))) return digits;
  if (IsA(node, Const)) return of_constant(as<Const>(node));
  if (exprType(node) != NUMERICOID) return std::nullopt;
  if (const MaybeDigits digits = of_typmod(exprTypmod(node))) return digits;
  switch (nodeTag(node)) {
    case T_Var:
      return of_column(as<Var>(node));
    case T_FuncExpr:
      return of_call(as<FuncExpr>(node)->funcid, as<FuncExpr>(node)->args, of_column);
    case T_OpExpr:
      return of_call(get_opcode(as<OpExpr>(node)->opno), as<OpExpr>(node)->args, of_column);
    case T_Aggref:
      return of_aggregate(as<Aggref>(node), of_column);
    case T_MinMaxExpr:
      return of_all(as<MinMaxExpr>(node)->args, of_column);
    default: {
      const List* values = values_chosen(node);
      return values == NIL ? std::nullopt : of_all(values, of_column);
    }
  }
}

}  // namespace

MaybeDigits digits_of(Node* expression, const DigitsOfColumn& of_column) {
  check_stack_depth();
  CHECK_FOR_INTERRUPTS();
  const MaybeDigits digits = digits_of_kind(expression, of_column);
  return digits && digits->before <= kFew && digits->behind <= kFew ? digits : std::nullopt;
}

namespace {

// A column that the nodes below compute, which pass values on, or put NULL in their place.
MaybeDigits digits_below(const Var* column, const PlanNode& reader) {
  const List* plans = plans_behind(reader.plan, column, reader.subplans);
  if (plans == NIL) return std::nullopt;
  Digits found{0, 0};
  for (auto* plan : list<Plan>(plans)) {
    const TargetEntry* entry = column_shown(plan->targetlist, column->varattno);
    if (entry == nullptr) return std::nullopt;
    const PlanNode node{plan, reader.subplans};
    const MaybeDigits digits = digits_of(
        as<Node>(entry->expr), [&](const Var* deeper) { return digits_below(deeper, node); });
    if (!digits) return std::nullopt;
    found = either(found, *digits);
  }
  return found;
}

}  // namespace

bool has_few_digits(Node* expression, const PlanNode& reader) {
  return digits_of(expression, [&](const Var* column) { return digits_below(column, reader); })
      .has_value();
}

}  // namespace idp
