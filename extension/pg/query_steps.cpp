#include "extension/pg/query_steps.h"

#include "extension/pg/nodes.h"

extern "C" {
#include "rewrite/rewriteManip.h"
}

namespace idp {

bool takes_only(const Query* query, unsigned steps) {
  unsigned taken = 0;
  const auto add = [&](bool takes, step::Step step) { taken |= takes ? step : 0U; };
  add(query->hasAggs, step::kAggregates);
  add(query->groupClause != NIL, step::kGroups);
  add(query->groupingSets != NIL, step::kGroupingSets);
  add(query->havingQual != nullptr, step::kHaving);
  add(query->hasWindowFuncs || query->windowClause != NIL, step::kWindows);
  add(query->distinctClause != NIL, step::kDistinct);
  add(query->hasDistinctOn, step::kDistinctOn);
  add(query->limitCount != nullptr, step::kLimit);
  add(query->limitOffset != nullptr, step::kOffset);
  add(query->setOperations != nullptr, step::kSetOperations);
  add(query->hasTargetSRFs, step::kSetFunctions);
  add(query->cteList != NIL, step::kWith);
  add(query->hasModifyingCTE, step::kChanges);
  add(query->rowMarks != NIL || query->hasForUpdate, step::kLocks);
  add(query->hasSubLinks, step::kSubLinks);
  add(query->constraintDeps != NIL, step::kImpliedGroups);
  return query->commandType == CMD_SELECT && query->jointree != nullptr && (taken & ~steps) == 0;
}

bool aggregates_all_rows(const Query* query) {
  return query->hasAggs && takes_only(query, step::kAggregates | step::kSubLinks);
}

bool walk_queries(Query* query, bool (*visit)(Node*, void*), void* context) {
  if (query->hasSubLinks) return walk_query(query, visit, context);
  Assert(!checkExprHasSubLink(as<Node>(query)));
  CHECK_FOR_INTERRUPTS();
  for (const auto* cte : list<CommonTableExpr>(query->cteList)) {
    if (visit(cte->ctequery, context)) return true;
  }
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (entry->rtekind == RTE_SUBQUERY && visit(as<Node>(entry->subquery), context)) return true;
  }
  return false;
}

namespace {

// context: how many queries are around the place.
bool find_outer_cte(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, find_outer_cte, context);
  auto* query = as<Query>(node);
  Index below = *static_cast<Index*>(context) + 1;
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (entry->rtekind == RTE_CTE && entry->ctelevelsup >= below) return true;
  }
  return walk_queries(query, find_outer_cte, &below);
}

}  // namespace

bool is_whole(Query* query) {
  Index outside = 0;
  return !find_outer_cte(as<Node>(query), &outside);
}

}  // namespace idp
