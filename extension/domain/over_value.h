// An expression over one column, evaluated for values of that column while a query is planned.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/execnodes.h"
#include "nodes/params.h"
#include "nodes/primnodes.h"
}

namespace idp {

class OverValue {
 public:
  // expression: names no parameter, and of columns this one alone. type: of the values.
  OverValue(Node* expression, const Var* column, Oid type);

  // Lasts until the next call.
  Datum of(Datum value, bool is_null, bool* no_result);

  // Nothing is evaluated afterwards.
  void end() { FreeExecutorState(state_); }

 private:
  ParamListInfo parameters_;
  EState* state_;
  ExprState* expression_;
  ExprContext* context_;
};

}  // namespace idp
