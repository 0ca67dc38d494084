#include "extension/rewrite/constant_keys.h"

#include "extension/pg/in_place.h"
#include "extension/pg/outer_joins.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/fold.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/versions.h"

extern "C" {
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
}

namespace idp {

namespace {

// The constant that a column of the query is; null if it is none.
const Const* constant_behind(const Query* query, const Var* column) {
  check_stack_depth();
  if (column->varlevelsup > 0 || column->varattno <= 0 ||
      may_be_absent(query, static_cast<Index>(column->varno))) {
    return nullptr;
  }
  const RangeTblEntry* entry = rt_fetch(column->varno, query->rtable);
  if (entry->rtekind != RTE_SUBQUERY) return nullptr;
  const Query* below = entry->subquery;
  if (below->setOperations != nullptr || below->groupingSets != NIL) return nullptr;
  const TargetEntry* target = column_shown(below->targetList, column->varattno);
  if (target == nullptr) return nullptr;
  if (IsA(target->expr, Const)) return as<Const>(target->expr);
  return IsA(target->expr, Var) ? constant_behind(below, as<Var>(target->expr)) : nullptr;
}

Node* with_constants_of(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return node;
  if (!IsA(node, Var)) return map_in_place(node, with_constants_of, context);
  const Const* constant = constant_behind(static_cast<const Query*>(context), as<Var>(node));
  return constant == nullptr ? node : static_cast<Node*>(copyObjectImpl(constant));
}

bool reads_subqueries(const Query* query) {
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (entry->rtekind == RTE_SUBQUERY) return true;
  }
  return false;
}

}  // namespace

void drop_constant_keys(Query* query) {
  if (query->commandType != CMD_SELECT || !query->hasAggs || query->groupClause == NIL ||
      query->groupingSets != NIL || query->hasSubLinks) {
    return;
  }
  put_groups_in_place(query);
  if (reads_subqueries(query)) {
    change_shown(query, [&](Node* shown) { return with_constants_of(shown, query); });
  }
  // CASE WHEN 'All' = 'All' THEN 'all' ELSE status END
  const auto is_constant = [&](const SortGroupClause* clause) {
    const auto* key =
        get_sortgroupclause_tle(const_cast<SortGroupClause*>(clause), query->targetList);
    return is_same_for_all_rows(folded(as<Node>(key->expr)));
  };
  List* left = NIL;
  for (auto* clause : list<SortGroupClause>(query->groupClause)) {
    if (!is_constant(clause)) left = lappend(left, clause);
  }
  if (list_length(left) == list_length(query->groupClause)) return;
  change_shown(query, folded);
  query->groupClause = left;
}

}  // namespace idp
