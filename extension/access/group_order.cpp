#include "extension/access/group_order.h"

#include "extension/access/hidden.h"
#include "extension/plan/node_rules.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "utils/guc.h"
}

namespace idp {

namespace {

// Numbers of nodes name what processes share of a plan.
int highest_number(const Plan* plan) {
  if (plan == nullptr) return 0;
  check_stack_depth();
  int highest =
      Max(plan->plan_node_id, Max(highest_number(plan->lefttree), highest_number(plan->righttree)));
  ListCell* cell;
  foreach (cell, further_plans(plan)) {
    highest = Max(highest, highest_number(static_cast<const Plan*>(lfirst(cell))));
  }
  return highest;
}

int new_number(const PlannedStmt* statement) {
  int highest = highest_number(statement->planTree);
  ListCell* cell;
  foreach (cell, statement->subplans) {
    highest = Max(highest, highest_number(static_cast<const Plan*>(lfirst(cell))));
  }
  return highest + 1;
}

// The columns of a node's child, passed on.
List* same_targets(const List* targets) {
  List* same = NIL;
  ListCell* cell;
  foreach (cell, targets) {
    const auto* target = static_cast<const TargetEntry*>(lfirst(cell));
    TargetEntry* entry = flatCopyTargetEntry(const_cast<TargetEntry*>(target));
    auto* value = reinterpret_cast<Node*>(target->expr);
    entry->expr = reinterpret_cast<Expr*>(makeVar(OUTER_VAR, target->resno, exprType(value),
                                                  exprTypmod(value), exprCollation(value), 0));
    same = lappend(same, entry);
  }
  return same;
}

template <class T>
T* new_array(int count) {
  return static_cast<T*>(palloc(sizeof(T) * static_cast<Size>(count)));
}

// Below the node, in the order of its keys; null if values of one of them have no order.
Sort* sort_by_keys(const Agg* plan, const PlannedStmt* statement) {
  Sort* sort = makeNode(Sort);
  sort->numCols = plan->numCols;
  sort->sortColIdx = new_array<AttrNumber>(plan->numCols);
  sort->sortOperators = new_array<Oid>(plan->numCols);
  sort->collations = new_array<Oid>(plan->numCols);
  sort->nullsFirst = new_array<bool>(plan->numCols);
  for (int i = 0; i < plan->numCols; ++i) {
    sort->sortColIdx[i] = plan->grpColIdx[i];
    sort->sortOperators[i] = get_ordering_op_for_equality_op(plan->grpOperators[i], false);
    sort->collations[i] = plan->grpCollations[i];
    sort->nullsFirst[i] = false;
    if (!OidIsValid(sort->sortOperators[i])) return nullptr;
  }
  Plan* child = plan->plan.lefttree;
  sort->plan.targetlist = same_targets(child->targetlist);
  sort->plan.lefttree = child;
  sort->plan.parallel_safe = child->parallel_safe;
  sort->plan.extParam = bms_copy(child->extParam);
  sort->plan.allParam = bms_copy(child->allParam);
  sort->plan.plan_node_id = new_number(statement);
  return sort;
}

struct Seen {
  bool sets;
  bool hidden;
};

bool find_sets(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_sets, context);
  auto* query = reinterpret_cast<Query*>(node);
  auto* seen = static_cast<Seen*>(context);
  seen->sets |= query->groupingSets != NIL;
  ListCell* cell;
  foreach (cell, query->rtable) {
    seen->hidden |= is_hidden(static_cast<const RangeTblEntry*>(lfirst(cell))->relid);
  }
  return walk_query(query, find_sets, context);
}

void set_within_level(const char* name, const char* value) {
  (void)set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

}  // namespace

int begin_sorting_groups(Query* query) {
  Seen seen = {false, false};
  (void)find_sets(reinterpret_cast<Node*>(query), &seen);
  if (!seen.sets || !seen.hidden) return 0;
  const int level = NewGUCNestLevel();
  set_within_level("enable_hashagg", "off");
  set_within_level("enable_sort", "on");
  return level;
}

void end_sorting_groups(int level) {
  if (level > 0) AtEOXact_GUC(true, level);
}

void sort_groups(Agg* plan, const PlannedStmt* statement) {
  if (plan->aggstrategy != AGG_HASHED || plan->groupingSets != NIL) return;
  Sort* sort = sort_by_keys(plan, statement);
  if (sort == nullptr) return;
  plan->plan.lefttree = reinterpret_cast<Plan*>(sort);
  plan->aggstrategy = AGG_SORTED;
}

bool has_sorted_groups(const Agg* plan) {
  if (plan->aggstrategy != AGG_SORTED && plan->aggstrategy != AGG_PLAIN) return false;
  ListCell* cell;
  foreach (cell, plan->chain) {
    if (!has_sorted_groups(static_cast<const Agg*>(lfirst(cell)))) return false;
  }
  return true;
}

}  // namespace idp
