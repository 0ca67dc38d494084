#include "extension/rewrite/spine_joins.h"

#include "extension/pg/expression_kinds.h"
#include "extension/pg/fold.h"
#include "extension/pg/nodes.h"
#include "extension/pg/versions.h"
#include "extension/query/walk.h"

extern "C" {
#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
}

#include <algorithm>

namespace idp {

namespace {

// --- what a condition says of a row that is not there ---

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

}  // namespace

bool tells_absent(Node* conditions, Bitmapset* entries) {
  for (auto* condition : list<Node>(conjuncts(conditions))) {
    if (checkExprHasSubLink(condition) || contain_volatile_functions(condition)) continue;
    auto* copy = static_cast<Node*>(copyObjectImpl(condition));
    if (are_never(list_make1(folded(with_nulls(copy, entries))))) return true;
  }
  return false;
}

bool is_null_of_absent(const Node* expression, Bitmapset* entries) {
  auto* copy = static_cast<Node*>(copyObjectImpl(expression));
  if (checkExprHasSubLink(copy) || contain_volatile_functions(copy)) return false;
  const auto* value = maybe<Const>(folded(with_nulls(copy, entries)));
  return value != nullptr && value->constisnull;
}

Bitmapset* entries_of(const Node* from) {
  Bitmapset* entries = nullptr;
  add_entries(from, &entries);
  return entries;
}

bool may_be_made_first(const JoinExpr* join, const JoinExpr* left) {
  return !checkExprHasSubLink(join->quals) &&
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

struct SpineWalk {
  Query* query;
  const std::function<bool(const Node*)>* is_spine;
  JoinExpr* to_be_inner = nullptr;
  List* inner = NIL;  // of JoinExpr: those that have become inner joins
};

void set_type(const Query* query, JoinExpr* join, JoinType type) {
  join->jointype = type;
  if (join->rtindex > 0) rt_fetch(join->rtindex, query->rtable)->jointype = type;
}

// --- what is asked of rows that are there alone ---

// Whether an aggregate leaves out the rows where all columns of the entries are NULL.
bool leaves_out_nulls(const Aggref* call, Bitmapset* entries) {
  constexpr const char* kOfValues[] = {"count", "sum",    "avg",      "min",
                                       "max",   "stddev", "variance", "percentile_cont"};
  const char* name = get_func_name(call->aggfnoid);
  const bool is_known = call->aggfnoid < FirstNormalObjectId && list_length(call->args) == 1 &&
                        std::any_of(std::begin(kOfValues), std::end(kOfValues),
                                    [&](const char* known) { return strcmp(name, known) == 0; });
  if (!is_known) return false;
  auto* value = as<Node>(static_cast<const TargetEntry*>(linitial(call->args))->expr);
  if (checkExprHasSubLink(value) || contain_volatile_functions(value)) return false;
  auto* copy = static_cast<Node*>(copyObjectImpl(value));
  const Node* of_nothing = folded(with_nulls(copy, entries));
  return IsA(of_nothing, Const) && as<Const>(of_nothing)->constisnull;
}

struct Asked {
  Bitmapset* rows;      // the entries of an outer join's right side
  Bitmapset* optional;  // of these those of a second one's
};

bool find_other_use(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* asked = static_cast<Asked*>(context);
  if (IsA(node, SubLink) || IsA(node, WindowFunc)) return true;
  if (IsA(node, Aggref)) return !leaves_out_nulls(as<Aggref>(node), asked->optional);
  if (IsA(node, Var)) return bms_is_member(static_cast<int>(as<Var>(node)->varno), asked->rows);
  return walk_expression(node, find_other_use, context);
}

// Of (spine LEFT JOIN b) LEFT JOIN c: whether the query asks the same of spine LEFT JOIN (b JOIN
// c), with the conditions on the spine at the outer join.
bool asks_of_optional_alone(const Query* query, const JoinExpr* join, const JoinExpr* top) {
  Asked asked{entries_of(top->rarg), entries_of(join->rarg)};
  asked.rows = bms_union(asked.rows, asked.optional);
  return query->hasAggs && query->groupClause != NIL && query->groupingSets == NIL &&
         list_length(query->jointree->fromlist) == 1 && !checkExprHasSubLink(join->quals) &&
         !contain_volatile_functions(join->quals) &&
         tells_absent(join->quals, entries_of(top->rarg)) &&
         !find_other_use(as<Node>(query->targetList), &asked) &&
         !find_other_use(query->havingQual, &asked) &&
         !find_other_use(query->jointree->quals, &asked);
}

void join_optional_first(SpineWalk& walk, JoinExpr* join, JoinExpr* top) {
  Bitmapset* spine = entries_of(top->larg);
  Node* of_rows = nullptr;
  for (auto* condition : list<Node>(conjuncts(join->quals))) {
    Node** place = bms_overlap(relations_in(condition), spine) ? &top->quals : &of_rows;
    *place = make_and_qual(*place, condition);
  }
  join->quals = of_rows;
  set_type(walk.query, join, JOIN_INNER);
  walk.inner = lappend(walk.inner, join);
}

// --- the walk ---

// The outer join whose left side is the spine, in place of one that stands above it; null if there
// is none, or if it has to stay where it is.
JoinExpr* with_spine_at_top(SpineWalk& walk, JoinExpr* join, bool is_top) {
  check_stack_depth();
  if (join->jointype == JOIN_RIGHT && (*walk.is_spine)(join->rarg)) {
    std::swap(join->larg, join->rarg);
    set_type(walk.query, join, JOIN_LEFT);
  }
  if (join->jointype != JOIN_LEFT) return nullptr;
  if ((*walk.is_spine)(join->larg)) return join;
  if (!IsA(join->larg, JoinExpr)) return nullptr;
  JoinExpr* top = with_spine_at_top(walk, as<JoinExpr>(join->larg), false);
  if (top == nullptr) return nullptr;
  join->larg = as<Node>(top);
  if (!may_be_made_first(join, top)) {
    if (!is_top || !asks_of_optional_alone(walk.query, join, top)) return nullptr;
    join_optional_first(walk, join, top);
  }
  join->larg = top->rarg;
  top->rarg = as<Node>(join);
  return top;
}

// above: what all rows of the part fulfil.
void visit(SpineWalk& walk, Node*& from, Node* above) {
  check_stack_depth();
  if (!IsA(from, JoinExpr)) return;
  auto* join = as<JoinExpr>(from);
  if (join->jointype == JOIN_INNER) {
    Node* all = make_and_qual(above, join->quals);
    visit(walk, join->larg, all);
    return visit(walk, join->rarg, all);
  }
  JoinExpr* top = with_spine_at_top(walk, join, above == walk.query->jointree->quals);
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
    SpineWalk walk{query, &is_spine};
    ListCell* cell;
    foreach (cell, query->jointree->fromlist) {
      auto* from = static_cast<Node*>(lfirst(cell));
      visit(walk, from, query->jointree->quals);
      lfirst(cell) = from;
    }
    if (walk.to_be_inner != nullptr) {
      set_type(query, walk.to_be_inner, JOIN_INNER);
      walk.inner = lappend(walk.inner, walk.to_be_inner);
    }
    if (walk.inner == NIL) return;
    // which makes FROM anew
    for (const auto* join : list<JoinExpr>(walk.inner)) {
      if (join->rtindex > 0) forget_nulls_of(query, join->rtindex);
    }
  }
}

namespace {

bool find_count_of_absent(Node* node, void* entries) {
  if (node == nullptr) return false;
  if (!IsA(node, Aggref)) return walk_expression(node, find_count_of_absent, entries);
  const auto* call = as<Aggref>(node);
  auto* filter = as<Node>(call->aggfilter);
  if (filter != nullptr && tells_absent(filter, static_cast<Bitmapset*>(entries))) return false;
  if (call->args == NIL) return true;
  auto* argument = as<Node>(static_cast<const TargetEntry*>(linitial(call->args))->expr);
  return !is_null_of_absent(argument, static_cast<Bitmapset*>(entries));
}

}  // namespace

bool counts_absent(Node* node, Bitmapset* entries) { return find_count_of_absent(node, entries); }

}  // namespace idp
