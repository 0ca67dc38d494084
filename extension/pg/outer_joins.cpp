#include "extension/pg/outer_joins.h"

#include <initializer_list>

#include "extension/pg/nodes.h"

namespace idp {

List* entries_read(const Node* from) {
  if (from == nullptr) return NIL;
  check_stack_depth();
  if (IsA(from, RangeTblRef)) {
    return list_make1_int(as<RangeTblRef>(from)->rtindex);
  }
  if (IsA(from, JoinExpr)) {
    const auto* join = as<JoinExpr>(from);
    return list_concat(entries_read(join->larg), entries_read(join->rarg));
  }
  List* numbers = NIL;
  for (const auto* node : list<Node>(as<FromExpr>(from)->fromlist)) {
    numbers = list_concat(numbers, entries_read(node));
  }
  return numbers;
}

int only_entry(const Query* query) {
  if (list_length(query->jointree->fromlist) != 1) return 0;
  const auto* reference =
      maybe<RangeTblRef>(static_cast<const Node*>(linitial(query->jointree->fromlist)));
  return reference == nullptr ? 0 : reference->rtindex;
}

bool holds(const Node* node, Index number) {
  if (node == nullptr) return false;
  if (IsA(node, RangeTblRef)) {
    return static_cast<Index>(as<RangeTblRef>(node)->rtindex) == number;
  }
  if (IsA(node, JoinExpr)) {
    const auto* join = as<JoinExpr>(node);
    return holds(join->larg, number) || holds(join->rarg, number);
  }
  for (const auto* each : list<Node>(as<FromExpr>(node)->fromlist)) {
    if (holds(each, number)) return true;
  }
  return false;
}

bool has_outer_join(const Node* from) {
  check_stack_depth();
  if (from == nullptr || IsA(from, RangeTblRef)) return false;
  if (IsA(from, JoinExpr)) {
    const auto* join = as<JoinExpr>(from);
    return join->jointype != JOIN_INNER || has_outer_join(join->larg) || has_outer_join(join->rarg);
  }
  for (const auto* part : list<Node>(as<FromExpr>(from)->fromlist)) {
    if (has_outer_join(part)) return true;
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
    const auto* join = as<JoinExpr>(node);
    for (const Node* side : {join->larg, join->rarg}) {
      if (may_lack(join, side) && holds(side, number)) return true;
      if (may_be_absent(side, number)) return true;
    }
    return false;
  }
  for (const auto* each : list<Node>(as<FromExpr>(node)->fromlist)) {
    if (may_be_absent(each, number)) return true;
  }
  return false;
}

bool may_be_absent(const Query* query, Index number) {
  return may_be_absent(as<Node>(query->jointree), number);
}

}  // namespace idp
