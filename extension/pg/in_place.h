// Expressions that are changed, and are nobody else's.
#pragma once

#include "extension/pg/nodes.h"

namespace idp {

// The same as map_expression() where the expression goes away that another is made of: columns and
// constants stay the nodes that they were.
inline Node* map_in_place(Node* node, Node* (*map)(Node*, void*), void* context) {
  if (node != nullptr && (IsA(node, Var) || IsA(node, Const))) return node;
  return map_expression(node, map, context);
}

}  // namespace idp
