#include "extension/domain/over_value.h"

#include "extension/pg/nodes.h"

extern "C" {
#include "executor/executor.h"
}

namespace idp {

namespace {

Node* with_parameter(Node* node, void* parameter) {
  if (node == nullptr) return nullptr;
  if (IsA(node, Var)) return static_cast<Node*>(copyObjectImpl(parameter));
  return map_expression(node, with_parameter, parameter);
}

Node* over_parameter(Node* expression, const Var* column, Oid type) {
  auto* parameter = makeNode(Param);
  parameter->paramkind = PARAM_EXTERN;
  parameter->paramid = 1;
  parameter->paramtype = type;
  parameter->paramtypmod = column->vartypmod;
  parameter->paramcollid = column->varcollid;
  parameter->location = -1;
  return with_parameter(expression, parameter);
}

}  // namespace

OverValue::OverValue(Node* expression, const Var* column, Oid type)
    : parameters_(makeParamList(1)), state_(CreateExecutorState()) {
  parameters_->params[0].ptype = type;
  parameters_->params[0].pflags = PARAM_FLAG_CONST;
  expression_ =
      ExecInitExprWithParams(as<Expr>(over_parameter(expression, column, type)), parameters_);
  context_ = CreateExprContext(state_);
  context_->ecxt_param_list_info = parameters_;
}

Datum OverValue::of(Datum value, bool is_null, bool* no_result) {
  CHECK_FOR_INTERRUPTS();
  ResetExprContext(context_);
  parameters_->params[0].value = value;
  parameters_->params[0].isnull = is_null;
  return ExecEvalExprSwitchContext(expression_, context_, no_result);
}

}  // namespace idp
