#include "extension/domain/absent_rows.h"

#include <initializer_list>

#include "extension/domain/public_table.h"

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

namespace {

// Whether a part of FROM may read protected rows.
bool reads_protected(const Query* query, const Node* node) {
  ListCell* cell;
  foreach (cell, query->rtable) {
    const auto number = static_cast<Index>(foreach_current_index(cell)) + 1;
    if (holds(node, number) && may_read_protected(static_cast<RangeTblEntry*>(lfirst(cell)))) {
      return true;
    }
  }
  return false;
}

// Whether no outer join in a part of FROM has NULL in place of protected rows, but beside others.
bool keeps_rows(const Query* query, const Node* node) {
  check_stack_depth();
  if (node == nullptr || IsA(node, RangeTblRef)) return true;
  if (IsA(node, JoinExpr)) {
    const auto* join = reinterpret_cast<const JoinExpr*>(node);
    for (const Node* side : {join->larg, join->rarg}) {
      const Node* other = side == join->larg ? join->rarg : join->larg;
      const bool lacks = may_lack(join, side) && reads_protected(query, side);
      if (lacks && !reads_protected(query, other)) return false;
      if (!keeps_rows(query, side)) return false;
    }
    return true;
  }
  ListCell* cell;
  foreach (cell, reinterpret_cast<const FromExpr*>(node)->fromlist) {
    if (!keeps_rows(query, static_cast<const Node*>(lfirst(cell)))) return false;
  }
  return true;
}

}  // namespace

bool keeps_protected_rows(const Query* query) {
  return keeps_rows(query, reinterpret_cast<const Node*>(query->jointree));
}

}  // namespace idp
