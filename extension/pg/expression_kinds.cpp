#include "extension/pg/expression_kinds.h"

namespace idp {

bool only_calls_functions(const Node* node) {
  switch (nodeTag(node)) {
    case T_List:
    case T_FuncExpr:
    case T_OpExpr:
    case T_DistinctExpr:
    case T_NullIfExpr:
    case T_ScalarArrayOpExpr:
    case T_BoolExpr:
    case T_NullTest:
    case T_BooleanTest:
    case T_RelabelType:
    case T_CoerceViaIO:
    case T_ArrayExpr:
    case T_CaseExpr:
    case T_CaseWhen:
    case T_CoalesceExpr:
      return true;
    default:
      return false;
  }
}

}  // namespace idp
