#include "extension/rewrite/time_comparisons.h"

#include <utility>

#include "extension/domain/cell_nodes.h"
#include "extension/domain/key_origin.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/fold.h"
#include "extension/pg/nodes.h"
#include "extension/plan/group_functions.h"

extern "C" {
#include "access/stratnum.h"
#include "common/int.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
}

namespace idp {

namespace {

// What no function of others computes, which may tell what it is given.
bool is_constant(Node* node) { return is_same_for_all_rows(node) && !calls_others(node); }

bool is_column(const Node* node) { return IsA(node, Var) || column_of_one(node) != nullptr; }

int turned(int strategy) {
  static_assert(BTLessStrategyNumber == 1 && BTGreaterStrategyNumber == 5);
  return strategy == 0 ? 0 : BTGreaterStrategyNumber + 1 - strategy;
}

// --- differences ---

// How intervals are compared: a month has 30 days, a day 24 hours. False if that is too long.
bool length_of(const Interval& interval, int64* length) {
  const int64 days = int64{interval.month} * DAYS_PER_MONTH + interval.day;
  int64 whole = 0;
  return !pg_mul_s64_overflow(days, USECS_PER_DAY, &whole) &&
         !pg_add_s64_overflow(whole, interval.time, length);
}

// moment - at op interval, as a comparison of at.
TimeComparison of_difference(const OpExpr* difference, int strategy, Node* constant) {
  const Oid function = get_opcode(difference->opno);
  const bool is_known = (function == F_TIMESTAMP_MI || function == F_TIMESTAMPTZ_MI) &&
                        IsA(constant, Const) && !as<Const>(constant)->constisnull &&
                        as<Const>(constant)->consttype == INTERVALOID;
  auto* moment = static_cast<Node*>(linitial(difference->args));
  if (!is_known || !is_constant(moment)) return {};
  int64 length;
  if (!length_of(*DatumGetIntervalP(as<Const>(constant)->constvalue), &length)) return {};
  auto* exact = static_cast<Interval*>(palloc0(sizeof(Interval)));
  exact->time = length;
  Node* interval = as<Node>(makeConst(INTERVALOID, -1, InvalidOid, sizeof(Interval),
                                      IntervalPGetDatum(exact), false, false));
  const Oid type = exprType(moment);
  Node* bound = as<Node>(
      makeFuncExpr(type == TIMESTAMPOID ? F_TIMESTAMP_MI_INTERVAL : F_TIMESTAMPTZ_MI_INTERVAL, type,
                   list_make2(moment, interval), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
  return {static_cast<Node*>(lsecond(difference->args)), turned(strategy), folded(bound), nullptr};
}

// --- casts ---

// Without the cast to a type that it is compared with as if it were cast.
Node* without_cast(Node* value) {
  if (!IsA(value, FuncExpr)) return value;
  const auto* cast = as<FuncExpr>(value);
  switch (cast->funcid) {
    case F_TIMESTAMP_DATE:
    case F_TIMESTAMPTZ_DATE:
    case F_TIMESTAMPTZ_TIMESTAMP: {
      auto* column = static_cast<Node*>(linitial(cast->args));
      return is_column(column) ? column : value;
    }
    default:
      return value;
  }
}

// AT TIME ZONE: takes it off, and gives the zone.
Node* without_zone(Node* value, const char** zone) {
  if (!IsA(value, FuncExpr)) return value;
  const auto* call = as<FuncExpr>(value);
  if (call->funcid != F_TIMEZONE_TEXT_TIMESTAMPTZ) return value;
  auto* name = static_cast<Node*>(linitial(call->args));
  auto* column = static_cast<Node*>(lsecond(call->args));
  if (!IsA(name, Const) || as<Const>(name)->constisnull || !is_column(column)) return value;
  *zone = TextDatumGetCString(as<Const>(name)->constvalue);
  return column;
}

}  // namespace

bool is_before(int strategy) {
  return strategy == BTLessStrategyNumber || strategy == BTLessEqualStrategyNumber;
}

TimeComparison time_comparison(const OpExpr* call) {
  if (list_length(call->args) != 2) return {};
  auto* left = static_cast<Node*>(linitial(call->args));
  auto* right = static_cast<Node*>(lsecond(call->args));
  Oid op = call->opno;
  if (is_constant(left)) {
    std::swap(left, right);
    op = get_commutator(op);
  }
  if (is_constant(left) || !is_constant(right)) return {};
  TimeComparison found{left, order_strategy(op, exprType(left)), right, nullptr};
  if (found.strategy == 0) return {};
  if (exprType(left) == INTERVALOID && IsA(left, OpExpr) &&
      list_length(as<OpExpr>(left)->args) == 2) {
    found = of_difference(as<OpExpr>(left), found.strategy, right);
    if (found.column == nullptr) return {};
  }
  const Oid of_constant = exprType(found.constant);
  if (exprType(found.column) == of_constant) found.column = without_cast(found.column);
  if (of_constant == TIMESTAMPOID) found.column = without_zone(found.column, &found.zone);
  const Oid type = exprType(found.column);
  const bool is_time = (type == DATEOID || is_instant(type)) && is_column(found.column);
  return is_time ? found : TimeComparison{};
}

}  // namespace idp
