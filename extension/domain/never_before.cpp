#include "extension/domain/never_before.h"

#include <utility>

#include "extension/domain/key_conditions.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "access/stratnum.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

struct Order {
  Node* later = nullptr;
  Node* earlier = nullptr;
};

// What a condition says that is true, or not false, of each row: later >= earlier.
Order order_of(Node* condition) {
  if (IsA(condition, BooleanTest)) {
    const auto* test = reinterpret_cast<BooleanTest*>(condition);
    const bool is_known = test->booltesttype == IS_NOT_FALSE || test->booltesttype == IS_TRUE;
    return is_known ? order_of(as<Node>(test->arg)) : Order{};
  }
  if (!IsA(condition, OpExpr) || list_length(as<OpExpr>(condition)->args) != 2) return {};
  const auto* comparison = as<OpExpr>(condition);
  auto* left = static_cast<Node*>(linitial(comparison->args));
  auto* right = static_cast<Node*>(lsecond(comparison->args));
  switch (order_strategy(comparison->opno, exprType(left))) {
    case BTGreaterStrategyNumber:
    case BTGreaterEqualStrategyNumber:
      return {left, right};
    case BTLessStrategyNumber:
    case BTLessEqualStrategyNumber:
      return {right, left};
    default:
      return {};
  }
}

// An instant, or a day, of which a value is the day by the clock of the session, or the instant
// that the day begins with.
Node* without_day(Node* value) {
  while (IsA(value, FuncExpr) && list_length(as<FuncExpr>(value)->args) == 1) {
    switch (as<FuncExpr>(value)->funcid) {
      case F_DATE_TIMESTAMP:
      case F_DATE_TIMESTAMPTZ:
      case F_TIMESTAMP_DATE:
      case F_TIMESTAMPTZ_DATE:
        value = static_cast<Node*>(linitial(as<FuncExpr>(value)->args));
        break;
      default:
        return value;
    }
  }
  return value;
}

// The instant of which a call gives the year; null of any other.
Node* instant_of_year(Node* value) {
  const auto* call = maybe<FuncExpr>(value);
  if (call == nullptr || !gives_field(call->funcid) || list_length(call->args) != 2) return nullptr;
  const auto* field = maybe<Const>(static_cast<Node*>(linitial(call->args)));
  const bool is_year = field != nullptr && !field->constisnull && field->consttype == TEXTOID &&
                       pg_strcasecmp(TextDatumGetCString(field->constvalue), "year") == 0;
  return is_year ? static_cast<Node*>(lsecond(call->args)) : nullptr;
}

// by_days: whether it is enough that the days are in order.
bool are_in_order(const Query* query, Node* later, Node* earlier, bool by_days) {
  for (auto* condition : list<Node>(conditions_of_rows(query))) {
    const Order order = order_of(condition);
    if (order.later == nullptr) continue;
    if (equal(order.later, later) && equal(order.earlier, earlier)) return true;
    if (by_days && equal(without_day(order.later), without_day(later)) &&
        equal(without_day(order.earlier), without_day(earlier))) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool is_never_before(const Query* query, Node* later, Node* earlier) {
  const bool are_days = exprType(later) == DATEOID && exprType(earlier) == DATEOID;
  return are_in_order(query, later, earlier, are_days);
}

bool are_years_in_order(const Query* query, Node* later, Node* earlier) {
  Node* last = instant_of_year(later);
  Node* first = instant_of_year(earlier);
  return last != nullptr && first != nullptr && are_in_order(query, last, first, true);
}

}  // namespace idp
