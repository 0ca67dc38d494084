#include "extension/domain/ordered_time.h"

#include "extension/domain/cells.h"
#include "extension/domain/session_zone.h"
#include "extension/domain/used_columns.h"
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

// Clocks of other zones are put back.
bool is_utc_of_session() { return is_utc(zone_of_session()); }

// So long that it moves all instants alike: not by months.
bool is_fixed_length(const Node* node, Oid moved) {
  const Const* found = constant(node);
  if (found == nullptr || found->consttype != INTERVALOID) return false;
  const Interval* length = DatumGetIntervalP(found->constvalue);
  return length->month == 0 && (length->day == 0 || moved == TIMESTAMPOID || is_utc_of_session());
}

bool is_ordered_call(const FuncExpr* call, const KeyColumn& key) {
  const auto argument = [&](int i) { return static_cast<const Node*>(list_nth(call->args, i)); };
  switch (call->funcid) {
    case F_DATE_TRUNC_TEXT_TIMESTAMP:
      return constant(argument(0)) != nullptr && is_ordered(argument(1), key);
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
    case F_TIMEZONE_TEXT_TIMESTAMP:
    case F_TIMEZONE_TEXT_TIMESTAMPTZ: {
      const char* zone = constant_text(argument(0));
      return zone != nullptr && is_utc(zone) && is_ordered(argument(1), key);
    }
    case F_TIMESTAMP_TIMESTAMPTZ:
    case F_TIMESTAMPTZ_TIMESTAMP:
    case F_DATE_TIMESTAMPTZ:
      return is_utc_of_session() && is_ordered(argument(0), key);
    case F_ROUND_NUMERIC_INT4:
    case F_TRUNC_NUMERIC_INT4:
    case F_NUMERIC_NUMERIC_INT4:
      return constant(argument(1)) != nullptr && is_ordered(argument(0), key);
    case F_DATE_TIMESTAMP:
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
      return is_fixed_length(right, exprType(left)) && is_ordered(left, key);
    case F_INTERVAL_PL_TIMESTAMP:
    case F_INTERVAL_PL_TIMESTAMPTZ:
      return is_fixed_length(left, exprType(right)) && is_ordered(right, key);
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

bool is_same_in_cells(const Node* expression, const KeyColumn& key) {
  const Keys& keys = key.keys;
  if (keys.values == nullptr) return false;
  auto* copy = static_cast<Node*>(copyObjectImpl(expression));
  Node* folded = eval_const_expressions(nullptr, copy);
  if (IsA(folded, Var) || !is_ordered(folded, key)) return false;
  Function function(with_parameter(folded, const_cast<KeyColumn*>(&key)), key);
  bool is_same = true;
  for (int i = 0; i < keys.count && is_same; ++i) {
    const Datum end = next_cell(keys.type, keys.grain, keys.values[i]);
    is_same = function.is_same_of(DatumGetTimestamp(keys.values[i]), DatumGetTimestamp(end) - 1);
  }
  function.end();
  return is_same;
}

}  // namespace idp
