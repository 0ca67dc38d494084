#include "extension/rewrite/lift.h"

#include "extension/plan/new_query.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/rewrite/cell_comparisons.h"
#include "extension/rewrite/given_rows.h"
#include "extension/rewrite/lifted_totals.h"
#include "extension/rewrite/private_call.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_oper.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

namespace {

int place_of(const Lift& lift, int entry) {
  int place = kGroups;
  for (const auto* join : list<LiftedJoin>(lift.parts.joins)) {
    ++place;
    if (join->entry == entry) return place;
  }
  elog(ERROR, "entry %d is not lifted", entry);
}

// Of the outer join that may put NULL in an entry, which is none otherwise; kGroups for the groups.
int join_above(const Lift& lift, int entry) {
  int place = kGroups + list_length(lift.parts.joins);
  if (lift.parts.has_spine) return entry == kGroups ? place + 1 : 0;
  for (const auto* join : list<LiftedJoin>(lift.parts.joins)) {
    if (!join->is_outer) continue;
    ++place;
    if (entry != kGroups && join->entry == entry) return place;
  }
  return 0;
}

Node* with_nulls_of(const Lift& lift, Var* column, int join) {
#if PG_VERSION_NUM >= 160000
  column->varnullingrels = join > 0 && !lift.is_inside ? bms_make_singleton(join) : nullptr;
#else
  (void)lift;
  (void)join;
#endif
  return as<Node>(column);
}

Node* column_with(Lift& lift, const TargetEntry* target) {
  return with_nulls_of(lift, column_like(kGroups, target), join_above(lift, kGroups));
}

}  // namespace

Node* shown(Node* value, void* context) {
  auto& lift = *static_cast<Lift*>(context);
  for (const auto* target : list<TargetEntry>(lift.targets)) {
    // of two that are equal but for being a part of a total one is no such part
    const bool is_same = equal(target->expr, value) &&
                         (!IsA(value, Aggref) || is_part_of_total(as<Aggref>(value)) ==
                                                     is_part_of_total(as<Aggref>(target->expr)));
    if (is_same) return column_with(lift, target);
  }
  TargetEntry* target = output(value, list_length(lift.targets) + 1,
                               psprintf("value %d", list_length(lift.targets) + 1));
  lift.targets = lappend(lift.targets, target);
  return column_with(lift, target);
}

namespace {

// A column of the groups by which they are grouped.
Node* shown_key(Lift& lift, Node* key) {
  Oid ignored;
  Node* column = shown(key, &lift);
  auto* target = static_cast<TargetEntry*>(list_nth(lift.targets, as<Var>(column)->varattno - 1));
  if (target->ressortgroupref != 0) return column;
  auto* clause = makeNode(SortGroupClause);
  clause->tleSortGroupRef = target->ressortgroupref = target->resno;
  get_sort_group_operators(exprType(key), false, true, false, &ignored, &clause->eqop, nullptr,
                           &clause->hashable);
  get_sort_group_operators(exprType(key), false, false, false, &clause->sortop, &ignored, nullptr,
                           nullptr);
  lift.grouped = lappend(lift.grouped, clause);
  return column;
}

}  // namespace

bool is_value(const Node* node) {
  return !IsA(node, List) && !IsA(node, TargetEntry) && !IsA(node, CaseWhen);
}

namespace {

struct Within {
  Lift* lift;
  bool are_keys;  // whether columns have to be keys of the level
  Index depth;
};

// What a subquery names of the level: what is lifted, and keys.
Node* lifted_within(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  auto& within = *static_cast<Within*>(context);
  Lift& lift = *within.lift;
  if (IsA(node, Query)) {
    ++within.depth;
    auto* query = as<Node>(map_query(as<Query>(node), lifted_within, context));
    --within.depth;
    return query;
  }
  if (IsA(node, Aggref)) lift.fails |= as<Aggref>(node)->agglevelsup == within.depth;
  if (!IsA(node, Var) || as<Var>(node)->varlevelsup != within.depth) {
    return map_expression(node, lifted_within, context);
  }
  auto* column = static_cast<Var*>(copyObjectImpl(node));
  column->varlevelsup = 0;
  const bool is_lifted = lift.parts.is_lifted(static_cast<int>(column->varno));
  lift.fails |= !(is_lifted && !within.are_keys) && !list_member(lift.keys, column);
  if (lift.fails) return node;
  Node* value = lifted(as<Node>(column), &lift);
  as<Var>(value)->varlevelsup = within.depth;
  return value;
}

}  // namespace

Node* lifted_link(Lift& lift, const Node* node, bool are_keys) {
  auto* link = static_cast<SubLink*>(copyObjectImpl(node));
  auto* query = as<Query>(link->subselect);
  if (!contain_vars_of_level(as<Node>(query), 1) && !contain_aggs_of_level(as<Node>(query), 1)) {
    return as<Node>(link);
  }
  lift.fails |= given_by({query, lift.parts.level}) == Given::kRows;
  if (lift.fails) return as<Node>(link);
  Within within{&lift, are_keys, 0};
  link->subselect = lifted_within(as<Node>(query), &within);
  return as<Node>(link);
}

Node* lifted(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  auto& lift = *static_cast<Lift*>(context);
  const LiftedParts& parts = lift.parts;
  if (IsA(node, Var)) {
    const auto* old = as<Var>(node);
    if (old->varlevelsup > 0) return node;
    if (!parts.is_lifted(static_cast<int>(old->varno))) {
      lift.fails |= old->varattno <= 0;
      return lift.fails ? node : shown_key(lift, static_cast<Node*>(copyObjectImpl(node)));
    }
    auto* column = static_cast<Var*>(copyObjectImpl(node));
    column->varno = place_of(lift, static_cast<int>(old->varno));
    column->varnosyn = 0;
    column->varattnosyn = 0;
    return with_nulls_of(lift, column, join_above(lift, static_cast<int>(old->varno)));
  }
  if (is_value(node) && !names_lifted(parts, node)) {
    if (!names_rows(parts, node)) return node;
    const bool is_key = !checkExprHasSubLink(node) && !find_row_of_subquery(node, nullptr) &&
                        (!parts.has_spine || lift.is_inside || is_null_of_no_row(parts, node));
    if (is_key) {
      lift.fails |= contain_volatile_functions(node);
      return shown_key(lift, static_cast<Node*>(copyObjectImpl(node)));
    }
  }
  if (IsA(node, SubLink)) node = lifted_link(lift, node, false);
  if (IsA(node, OpExpr)) node = as<Node>(compared_by_cell(*parts.level, as<OpExpr>(node)));
  return map_expression(node, lifted, context);
}

}  // namespace idp
