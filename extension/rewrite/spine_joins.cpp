#include "extension/rewrite/spine_joins.h"

#include "extension/pg/fold.h"
#include "extension/pg/nodes.h"
#include "extension/pg/versions.h"
#include "extension/query/walk.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
}

namespace idp {

namespace {

// --- what a condition says of a row that is not there ---

bool find_subquery(Node* node, void*) {
  if (node == nullptr) return false;
  return IsA(node, SubLink) || IsA(node, Query) || walk_expression(node, find_subquery, nullptr);
}

Node* with_nulls(Node* node, void* entries) {
  if (node == nullptr) return nullptr;
  if (IsA(node, Var)) {
    const auto* column = as<Var>(node);
    const bool is_absent =
        column->varlevelsup == 0 &&
        bms_is_member(static_cast<int>(column->varno), static_cast<const Bitmapset*>(entries));
    if (!is_absent) return node;
    return as<Node>(makeNullConst(column->vartype, column->vartypmod, column->varcollid));
  }
  return map_expression(node, with_nulls, entries);
}

void add_entries(const Node* from, Bitmapset** entries) {
  if (IsA(from, RangeTblRef)) {
    *entries = bms_add_member(*entries, as<RangeTblRef>(from)->rtindex);
    return;
  }
  add_entries(as<JoinExpr>(from)->larg, entries);
  add_entries(as<JoinExpr>(from)->rarg, entries);
}

// Whether one of the conditions is not true where all columns of the entries are NULL, whatever the
// others are.
bool tells_absent(Node* conditions, Bitmapset* entries) {
  for (auto* condition : list<Node>(make_ands_implicit(as<Expr>(conditions)))) {
    if (find_subquery(condition, nullptr) || contain_volatile_functions(condition)) continue;
    auto* copy = static_cast<Node*>(copyObjectImpl(condition));
    if (are_never(list_make1(folded(with_nulls(copy, entries))))) return true;
  }
  return false;
}

}  // namespace

Bitmapset* entries_of(const Node* from) {
  Bitmapset* entries = nullptr;
  add_entries(from, &entries);
  return entries;
}

bool may_be_made_first(const JoinExpr* join, const JoinExpr* left) {
  return !find_subquery(join->quals, nullptr) &&
         !bms_overlap(relations_in(join->quals), entries_of(left->larg)) &&
         tells_absent(join->quals, entries_of(left->rarg));
}

bool leaves_out_absent(const Query* query, const JoinExpr* join) {
  const Node* optional = join->jointype == JOIN_LEFT    ? join->rarg
                         : join->jointype == JOIN_RIGHT ? join->larg
                                                        : nullptr;
  return optional != nullptr && tells_absent(query->jointree->quals, entries_of(optional));
}

namespace {

// --- joins ---

struct Walk {
  Query* query;
  const std::function<bool(const Node*)>* is_spine;
  JoinExpr* to_be_inner = nullptr;
};

void set_type(const Query* query, JoinExpr* join, JoinType type) {
  join->jointype = type;
  if (join->rtindex > 0) rt_fetch(join->rtindex, query->rtable)->jointype = type;
}

// The outer join whose left side is the spine, in place of one that stands above it; null if there
// is none, or if it has to stay where it is.
JoinExpr* with_spine_at_top(const Walk& walk, JoinExpr* join) {
  check_stack_depth();
  if (join->jointype == JOIN_RIGHT && (*walk.is_spine)(join->rarg)) {
    std::swap(join->larg, join->rarg);
    set_type(walk.query, join, JOIN_LEFT);
  }
  if (join->jointype != JOIN_LEFT) return nullptr;
  if ((*walk.is_spine)(join->larg)) return join;
  if (!IsA(join->larg, JoinExpr)) return nullptr;
  JoinExpr* top = with_spine_at_top(walk, as<JoinExpr>(join->larg));
  if (top == nullptr) return nullptr;
  join->larg = as<Node>(top);
  if (!may_be_made_first(join, top)) return nullptr;
  join->larg = top->rarg;
  top->rarg = as<Node>(join);
  return top;
}

// above: what all rows of the part fulfil.
void visit(Walk& walk, Node*& from, Node* above) {
  check_stack_depth();
  if (!IsA(from, JoinExpr)) return;
  auto* join = as<JoinExpr>(from);
  if (join->jointype == JOIN_INNER) {
    Node* all = make_and_qual(above, join->quals);
    visit(walk, join->larg, all);
    return visit(walk, join->rarg, all);
  }
  JoinExpr* top = with_spine_at_top(walk, join);
  if (top == nullptr) {
    if (join->jointype == JOIN_LEFT) visit(walk, join->larg, above);
    return;
  }
  from = as<Node>(top);
  if (tells_absent(above, entries_of(top->rarg))) walk.to_be_inner = top;
}

}  // namespace

void move_joins_of_spine(Query* query, const std::function<bool(const Node*)>& is_spine) {
  while (true) {
    Walk walk{query, &is_spine};
    ListCell* cell;
    foreach (cell, query->jointree->fromlist) {
      auto* from = static_cast<Node*>(lfirst(cell));
      visit(walk, from, query->jointree->quals);
      lfirst(cell) = from;
    }
    if (walk.to_be_inner == nullptr) return;
    set_type(query, walk.to_be_inner, JOIN_INNER);
    if (walk.to_be_inner->rtindex > 0) forget_nulls_of(query, walk.to_be_inner->rtindex);
  }
}

}  // namespace idp
