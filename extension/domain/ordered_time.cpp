#include "extension/domain/ordered_time.h"

#include "extension/domain/cells.h"
#include "extension/domain/session_zone.h"
#include "extension/plan/used_columns.h"
#include "extension/domain/known_images.h"
#include "extension/pg/fold.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "executor/executor.h"
#include "optimizer/optimizer.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

// --- which functions go one way ---

bool is_ordered(const Node* node, const KeyColumn& key);

const Const* constant(const Node* node) {
  return IsA(node, Const) && !as<Const>(node)->constisnull ? as<Const>(node) : nullptr;
}

const char* constant_text(const Node* node) {
  const Const* found = constant(node);
  return found != nullptr && found->consttype == TEXTOID ? TextDatumGetCString(found->constvalue)
                                                         : nullptr;
}

Datum end_of_cells(const Keys& keys) {
  return next_cell(keys.type, keys.grain, keys.values[keys.count - 1]);
}

// Clocks are put back, but for those of UTC, and between cells: days of the zone of the cells stay
// in order. Abbreviations of zones, which have no slash, follow a setting.
bool keeps_order(const char* zone, const KeyColumn& key) {
  if (is_utc(zone)) return true;
  const Keys& keys = key.keys;
  if (keys.grain.zone != nullptr && pg_strcasecmp(keys.grain.zone, zone) == 0) return true;
  return lies_in(keys.grain, "hour") && strchr(zone, '/') != nullptr && keys.count > 0 &&
         clocks_change_between_cells(keys.type, keys.grain, zone, keys.values[0],
                                     end_of_cells(keys));
}

bool session_keeps_order(const KeyColumn& key) { return keeps_order(zone_of_session(), key); }

// Of the column itself, without a zone, the instant of a zone: between those of the ends of a cell,
// where clocks are put forward too.
bool keeps_ends(const char* zone, const Node* time, const KeyColumn& key) {
  const Keys& keys = key.keys;
  return IsA(time, Var) && keys.type == TIMESTAMPOID && keys.grain.unit != nullptr &&
         keys.count > 0 && clocks_keep_ends(keys.grain, zone, keys.values[0], end_of_cells(keys));
}

// The time of the column itself, as clocks show it: that of a cell lies in one day.
bool is_time_of_column(const Node* node) {
  if (IsA(node, Var)) return true;
  if (!IsA(node, FuncExpr)) return false;
  const auto* call = as<FuncExpr>(node);
  const bool is_shown =
      call->funcid == F_TIMEZONE_TEXT_TIMESTAMPTZ || call->funcid == F_TIMESTAMP_TIMESTAMPTZ;
  return is_shown && IsA(llast(call->args), Var);
}

// An interval that keeps the order of the instants that it moves. Months do so within a day: the
// 30th and the 31st may become the same day.
bool keeps_order_by(const Node* node, const Node* moved, const KeyColumn& key) {
  const Const* found = constant(node);
  if (found == nullptr || found->consttype != INTERVALOID || !is_ordered(moved, key)) return false;
  const Interval* length = DatumGetIntervalP(found->constvalue);
  if (length->month != 0 && !(lies_in(key.keys.grain, "day") && is_time_of_column(moved))) {
    return false;
  }
  const bool is_by_time = length->month == 0 && length->day == 0;
  return is_by_time || exprType(moved) == TIMESTAMPOID || session_keeps_order(key);
}

bool is_ordered_call(const FuncExpr* call, const KeyColumn& key) {
  const auto argument = [&](int i) { return static_cast<const Node*>(list_nth(call->args, i)); };
  switch (call->funcid) {
    case F_DATE_TRUNC_TEXT_TIMESTAMP:
      return constant(argument(0)) != nullptr && is_ordered(argument(1), key);
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
      return constant(argument(0)) != nullptr && session_keeps_order(key) &&
             is_ordered(argument(1), key);
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT: {
      const char* zone = constant_text(argument(2));
      return constant(argument(0)) != nullptr && zone != nullptr && keeps_order(zone, key) &&
             is_ordered(argument(1), key);
    }
    case F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP:
    case F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ:
      return constant(argument(0)) != nullptr && constant(argument(2)) != nullptr &&
             is_ordered(argument(1), key);
    case F_EXTRACT_TEXT_TIMESTAMP:
    case F_EXTRACT_TEXT_TIMESTAMPTZ:
    case F_EXTRACT_TEXT_DATE:
    case F_DATE_PART_TEXT_TIMESTAMP:
    case F_DATE_PART_TEXT_TIMESTAMPTZ: {
      const char* field = constant_text(argument(0));
      return field != nullptr && pg_strcasecmp(field, "epoch") == 0 && is_ordered(argument(1), key);
    }
    case F_TIMESTAMPTZ_TIMESTAMP:
      return (session_keeps_order(key) || keeps_ends(zone_of_session(), argument(0), key)) &&
             is_ordered(argument(0), key);
    case F_TIMEZONE_TEXT_TIMESTAMP:
    case F_TIMEZONE_TEXT_TIMESTAMPTZ: {
      const char* zone = constant_text(argument(0));
      if (zone == nullptr || !is_ordered(argument(1), key)) return false;
      const bool is_known = strchr(zone, '/') != nullptr;
      return keeps_order(zone, key) || (is_known && keeps_ends(zone, argument(1), key));
    }
    case F_TIMESTAMP_TIMESTAMPTZ:
    case F_DATE_TIMESTAMPTZ:
      return session_keeps_order(key) && is_ordered(argument(0), key);
    case F_ROUND_NUMERIC_INT4:
    case F_TRUNC_NUMERIC_INT4:
    case F_NUMERIC_NUMERIC_INT4:
      return constant(argument(1)) != nullptr && is_ordered(argument(0), key);
    case F_DATE_TIMESTAMP:
    case F_TIMESTAMPTZ_DATE:
    case F_TIMESTAMP_DATE:
    case F_TO_TIMESTAMP_FLOAT8:
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
    case F_INT4_NUMERIC:
    case F_INT8_NUMERIC:
    case F_FLOAT8_NUMERIC:
    case F_INT4_FLOAT8:
    case F_INT8_FLOAT8:
    case F_NUMERIC_FLOAT8:
    case F_NUMERIC_INT4:
    case F_NUMERIC_INT8:
    case F_FLOAT8_INT4:
    case F_FLOAT8_INT8:
    case F_INT8_INT4:
    case F_INT4_INT8:
      return is_ordered(argument(0), key);
    default:
      return false;
  }
}

// Operators of numbers, of which one is a constant.
bool is_ordered_operation(const OpExpr* operation, const KeyColumn& key) {
  if (list_length(operation->args) != 2) return false;
  const auto* left = static_cast<const Node*>(linitial(operation->args));
  const auto* right = static_cast<const Node*>(lsecond(operation->args));
  switch (get_opcode(operation->opno)) {
    case F_TIMESTAMP_PL_INTERVAL:
    case F_TIMESTAMPTZ_PL_INTERVAL:
    case F_TIMESTAMP_MI_INTERVAL:
    case F_TIMESTAMPTZ_MI_INTERVAL:
      return keeps_order_by(right, left, key);
    case F_INTERVAL_PL_TIMESTAMP:
    case F_INTERVAL_PL_TIMESTAMPTZ:
      return keeps_order_by(left, right, key);
    case F_DATE_PLI:
    case F_DATE_MII:
    case F_INT4DIV:
    case F_INT8DIV:
    case F_INT84DIV:
    case F_NUMERIC_DIV:
    case F_FLOAT8DIV:
      return constant(right) != nullptr && is_ordered(left, key);
    case F_INT4PL:
    case F_INT4MI:
    case F_INT4MUL:
    case F_INT8PL:
    case F_INT8MI:
    case F_INT8MUL:
    case F_INT84PL:
    case F_INT84MI:
    case F_INT84MUL:
    case F_NUMERIC_ADD:
    case F_NUMERIC_SUB:
    case F_NUMERIC_MUL:
    case F_FLOAT8PL:
    case F_FLOAT8MI:
    case F_FLOAT8MUL:
      if (constant(left) != nullptr) std::swap(left, right);
      return constant(right) != nullptr && is_ordered(left, key);
    default:
      return false;
  }
}

// A function that goes back all the way is as good.
bool is_ordered(const Node* node, const KeyColumn& key) {
  check_stack_depth();
  switch (nodeTag(node)) {
    case T_Var:
      return is_same_column(key.column, as<Var>(node));
    case T_RelabelType:
      return is_ordered(as<Node>(as<RelabelType>(node)->arg), key);
    case T_FuncExpr:
      return is_ordered_call(as<FuncExpr>(node), key);
    case T_OpExpr:
      return is_ordered_operation(as<OpExpr>(node), key);
    default:
      return false;
  }
}

// --- its values ---

Node* with_parameter(Node* node, void* key) {
  if (node == nullptr) return nullptr;
  if (!IsA(node, Var)) return map_expression(node, with_parameter, key);
  const auto* column = static_cast<const KeyColumn*>(key);
  auto* parameter = makeNode(Param);
  parameter->paramkind = PARAM_EXTERN;
  parameter->paramid = 1;
  parameter->paramtype = column->keys.type;
  parameter->paramtypmod = column->keys.typmod;
  parameter->location = -1;
  return as<Node>(parameter);
}

class Function {
 public:
  Function(Node* expression, const KeyColumn& key)
      : parameters_(makeParamList(1)), state_(CreateExecutorState()) {
    parameters_->params[0].ptype = key.keys.type;
    parameters_->params[0].pflags = PARAM_FLAG_CONST;
    get_typlenbyval(exprType(expression), &length_, &by_value_);
    expression_ = ExecInitExprWithParams(as<Expr>(expression), parameters_);
    context_ = CreateExprContext(state_);
    context_->ecxt_param_list_info = parameters_;
  }

  bool is_same_of(Timestamp first, Timestamp last) {
    bool is_first_null;
    bool is_last_null;
    const Datum a = of(first, &is_first_null);
    const Datum b = of(last, &is_last_null);
    const bool is_same =
        is_first_null == is_last_null && (is_first_null || datumIsEqual(a, b, by_value_, length_));
    ResetExprContext(context_);
    return is_same;
  }

  void end() { FreeExecutorState(state_); }

 private:
  Datum of(Timestamp instant, bool* is_null) {
    parameters_->params[0].value = TimestampGetDatum(instant);
    parameters_->params[0].isnull = false;
    const Datum value = ExecEvalExprSwitchContext(expression_, context_, is_null);
    if (*is_null || by_value_) return value;
    MemoryContext old = MemoryContextSwitchTo(context_->ecxt_per_tuple_memory);
    const Datum copy = datumCopy(value, by_value_, length_);
    MemoryContextSwitchTo(old);
    return copy;
  }

  ParamListInfo parameters_;
  EState* state_;
  ExprState* expression_;
  ExprContext* context_;
  int16 length_;
  bool by_value_;
};

}  // namespace

bool is_ordered_in_time(const Node* expression, const KeyColumn& key) {
  return is_ordered(expression, key);
}

bool is_same_in_cells(const Node* expression, const KeyColumn& key) {
  const Keys& keys = key.keys;
  if (keys.values == nullptr || keys.grain.unit == nullptr) return false;
  Node* same = folded(expression);
  if (IsA(same, Var) || !is_ordered(same, key)) return false;
  bool is_same = true;
  const char* name = name_of_known("same in cells", key, same);
  if (known_truth(name, &is_same)) return is_same;
  Function function(with_parameter(same, const_cast<KeyColumn*>(&key)), key);
  for (int i = 0; i < keys.count && is_same; ++i) {
    const Datum end = next_cell(keys.type, keys.grain, keys.values[i]);
    is_same = function.is_same_of(DatumGetTimestamp(keys.values[i]), DatumGetTimestamp(end) - 1);
  }
  function.end();
  keep_truth(name, is_same);
  return is_same;
}

}  // namespace idp
