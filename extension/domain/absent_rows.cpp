#include "extension/domain/absent_rows.h"

#include <initializer_list>

namespace idp {

bool holds(const Node* node, Index number) {
  if (node == nullptr) return false;
  if (IsA(node, RangeTblRef)) {
    return static_cast<Index>(reinterpret_cast<const RangeTblRef*>(node)->rtindex) == number;
  }
  if (IsA(node, JoinExpr)) {
    const auto* join = reinterpret_cast<const JoinExpr*>(node);
    return holds(join->larg, number) || holds(join->rarg, number);
  }
  ListCell* cell;
  foreach (cell, reinterpret_cast<const FromExpr*>(node)->fromlist) {
    if (holds(static_cast<const Node*>(lfirst(cell)), number)) return true;
  }
  return false;
}

bool may_lack(const JoinExpr* join, const Node* side) {
  switch (join->jointype) {
    case JOIN_INNER:
      return false;
    case JOIN_LEFT:
      return side == join->rarg;
    case JOIN_RIGHT:
      return side == join->larg;
    default:
      return true;
  }
}

bool may_be_absent(const Node* node, Index number) {
  check_stack_depth();
  if (node == nullptr || IsA(node, RangeTblRef)) return false;
  if (IsA(node, JoinExpr)) {
    const auto* join = reinterpret_cast<const JoinExpr*>(node);
    for (const Node* side : {join->larg, join->rarg}) {
      if (may_lack(join, side) && holds(side, number)) return true;
      if (may_be_absent(side, number)) return true;
    }
    return false;
  }
  ListCell* cell;
  foreach (cell, reinterpret_cast<const FromExpr*>(node)->fromlist) {
    if (may_be_absent(static_cast<const Node*>(lfirst(cell)), number)) return true;
  }
  return false;
}

bool may_be_absent(const Query* query, Index number) {
  return may_be_absent(reinterpret_cast<const Node*>(query->jointree), number);
}

}  // namespace idp
