#include "extension/pg/unions.h"

#include "extension/pg/nodes.h"

namespace idp {

List* parts_of_union(const Node* operation, UnionKind kind) {
  check_stack_depth();
  if (IsA(operation, RangeTblRef)) return list_make1_int(as<RangeTblRef>(operation)->rtindex);
  const auto* both = as<SetOperationStmt>(operation);
  if (both->op != SETOP_UNION || (kind == UnionKind::kAll && !both->all)) return NIL;
  List* left = parts_of_union(both->larg, kind);
  List* right = left == NIL ? NIL : parts_of_union(both->rarg, kind);
  return right == NIL ? NIL : list_concat(left, right);
}

}  // namespace idp
