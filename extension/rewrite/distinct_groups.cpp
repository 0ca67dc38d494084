#include "extension/rewrite/distinct_groups.h"

#include "extension/access/hidden.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
}

namespace idp {

namespace {

// --- the first row by what is shown ---

// Whether what is shown are the expressions of DISTINCT, and nothing else is sorted by.
bool shows_distinct_alone(const Query* query) {
  for (const auto* target : list<TargetEntry>(query->targetList)) {
    if (target->resjunk ||
        get_sortgroupref_clause_noerr(target->ressortgroupref, query->distinctClause) == nullptr) {
      return false;
    }
  }
  return true;
}

// --- aggregates over windows that are groups ---

Bitmapset* keys_of(const List* clauses) {
  Bitmapset* keys = nullptr;
  for (const auto* clause : list<SortGroupClause>(clauses)) {
    keys = bms_add_member(keys, static_cast<int>(clause->tleSortGroupRef));
  }
  return keys;
}

// Whether all windows are the rows of one group each, by the same keys.
bool are_groups(const Query* query) {
  const Bitmapset* keys = nullptr;
  for (const auto* window : list<WindowClause>(query->windowClause)) {
    if (window->orderClause != NIL || window->frameOptions != FRAMEOPTION_DEFAULTS) return false;
    const Bitmapset* own = keys_of(window->partitionClause);
    if (own == nullptr || (keys != nullptr && !bms_equal(keys, own))) return false;
    keys = own;
  }
  return keys != nullptr;
}

struct Groups {
  List* keys;  // of SortGroupClause
  const Query* query;
  bool fails = false;
};

// What is shown of a row, as shown of its group.
Node* of_group(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  auto& groups = *static_cast<Groups*>(context);
  if (const auto* call = maybe<WindowFunc>(node)) {
    groups.fails |= !call->winagg || list_length(call->args) > 1;
    if (groups.fails) return node;
    auto* argument = call->args == NIL ? nullptr : static_cast<Node*>(linitial(call->args));
    Aggref* made = aggregate_call(call->winfnoid, call->wintype, argument);
    made->aggcollid = call->wincollid;
    made->inputcollid = call->inputcollid;
    made->aggfilter = call->aggfilter;
    return as<Node>(made);
  }
  groups.fails |= IsA(node, Var) || IsA(node, SubLink);
  return map_expression(node, of_group, context);
}

List* shown_of_groups(Groups& groups) {
  List* targets = NIL;
  for (const auto* target : list<TargetEntry>(groups.query->targetList)) {
    auto* shown = flatCopyTargetEntry(const_cast<TargetEntry*>(target));
    if (get_sortgroupref_clause_noerr(target->ressortgroupref, groups.keys) != nullptr) {
      groups.fails |= target->resjunk;
    } else {
      shown->expr = as<Expr>(of_group(as<Node>(target->expr), &groups));
    }
    targets = lappend(targets, shown);
  }
  return targets;
}

void group_by_windows(Query* query) {
  if (!are_groups(query) || contain_volatile_functions(as<Node>(query->targetList))) return;
  const auto* window = static_cast<const WindowClause*>(linitial(query->windowClause));
  Groups groups{window->partitionClause, query};
  List* targets = shown_of_groups(groups);
  if (groups.fails) return;
  query->targetList = targets;
  query->groupClause = window->partitionClause;
  query->windowClause = query->distinctClause = NIL;
  query->hasWindowFuncs = false;
  query->hasAggs = true;
}

}  // namespace

void group_distinct_rows(Query* query) {
  constexpr unsigned kSteps = step::kWindows | step::kDistinct | step::kDistinctOn | step::kLimit |
                              step::kOffset | step::kWith | step::kSubLinks;
  if (query->distinctClause == NIL || !takes_only(query, kSteps) || !names_hidden_table(query)) {
    return;
  }
  if (query->hasDistinctOn) {
    query->hasDistinctOn = query->hasWindowFuncs || !shows_distinct_alone(query);
  } else if (query->hasWindowFuncs) {
    group_by_windows(query);
  }
}

}  // namespace idp
