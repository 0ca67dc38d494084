#include "extension/rewrite/windows_over_groups.h"

#include "extension/pg/statement_room.h"
#include "extension/plan/new_query.h"
#include "extension/pg/groups.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/versions.h"

extern "C" {
#include "optimizer/tlist.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

namespace {

struct Groups {
  List* keys;            // of Node
  List* targets = NIL;   // of TargetEntry: the columns of the groups
  bool is_taken = true;  // whether all that stands above groups can be computed of these
};

// Whether there is a key within an expression, which is more than a column and a part of it alone.
bool find_key_within(Node* node, void* context) {
  if (node == nullptr || IsA(node, Aggref)) return false;
  const auto* groups = static_cast<const Groups*>(context);
  if (!IsA(node, Var) && list_member(groups->keys, node)) return true;
  return walk_expression(node, find_key_within, context);
}

bool holds_key(const Query* query, Groups& groups) {
  for (auto* target : list<TargetEntry>(query->targetList)) {
    if (list_member(groups.keys, target->expr)) continue;
    if (find_key_within(as<Node>(target->expr), &groups)) return true;
  }
  return false;
}

Node* above(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  auto& groups = *static_cast<Groups*>(context);
  if (list_member(groups.keys, node) || IsA(node, Var) || IsA(node, Aggref)) {
    const char* name = psprintf("value %d", list_length(groups.targets) + 1);
    return column_showing(&groups.targets, static_cast<Node*>(copyObjectImpl(node)), name);
  }
  groups.is_taken &= !IsA(node, SubLink) && !IsA(node, GroupingFunc);
  return map_expression(node, above, context);
}

// The groups, and what is computed of their rows.
Query* groups_of(const Query* query, const Groups& groups) {
  auto* below = copy_of(query);
  below->targetList = groups.targets;
  below->windowClause = below->sortClause = below->distinctClause = NIL;
  below->limitCount = below->limitOffset = nullptr;
  below->hasWindowFuncs = below->hasDistinctOn = false;
  IncrementVarSublevelsUp(as<Node>(below), 1, 1);
  return below;
}

void read_groups(Query* query, Query* groups) {
  query->groupClause = query->constraintDeps = NIL;
  query->havingQual = nullptr;
  query->hasAggs = query->groupDistinct = false;
  read_rows(query, groups, "groups", nullptr);
}

}  // namespace

void compute_windows_above(Query* query) {
  constexpr unsigned kSteps = step::kAggregates | step::kGroups | step::kHaving | step::kWindows |
                              step::kDistinct | step::kDistinctOn | step::kLimit | step::kOffset |
                              step::kWith | step::kSubLinks | step::kImpliedGroups;
  if (!query->hasAggs || !query->hasWindowFuncs || query->groupClause == NIL ||
      !takes_only(query, kSteps)) {
    return;
  }
  put_groups_in_place(query);
  Groups groups{grouped_expressions(query)};
  if (!holds_key(query, groups)) return;
  for (const auto* clause : list<SortGroupClause>(query->groupClause)) {
    TargetEntry* key =
        get_sortgroupclause_tle(const_cast<SortGroupClause*>(clause), query->targetList);
    const int number = list_length(groups.targets) + 1;
    TargetEntry* shown =
        output(static_cast<Node*>(copyObjectImpl(key->expr)), number, psprintf("key %d", number));
    shown->ressortgroupref = clause->tleSortGroupRef;
    groups.targets = lappend(groups.targets, shown);
  }
  auto* targets = reinterpret_cast<List*>(above(as<Node>(query->targetList), &groups));
  if (!groups.is_taken) return;
  Query* below = groups_of(query, groups);
  query->targetList = targets;
  read_groups(query, below);
}

}  // namespace idp
