// Does before planning what the planner does by itself (pull_up_subqueries), for the simplest case.
#include "extension/domain/pull_up.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/rights.h"

#include <type_traits>

extern "C" {
#include "nodes/makefuncs.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

namespace {

// The number of the one entry that a query reads; 0 if it reads more.
Index only_entry(const Query* query) {
  if (query->jointree == nullptr || list_length(query->jointree->fromlist) != 1) return 0;
  const auto* reference = static_cast<const RangeTblRef*>(linitial(query->jointree->fromlist));
  return IsA(reference, RangeTblRef) ? static_cast<Index>(reference->rtindex) : 0;
}

// Whether it only chooses rows and computes columns, the same each time. Their order is nothing to
// private aggregates.
bool is_simple(const Query* query) {
  return query->commandType == CMD_SELECT && !query->hasAggs && !query->hasWindowFuncs &&
         !query->hasTargetSRFs && !query->hasSubLinks && !query->hasDistinctOn &&
         !query->hasForUpdate && query->cteList == NIL && query->groupClause == NIL &&
         query->groupingSets == NIL && query->havingQual == nullptr && query->windowClause == NIL &&
         query->distinctClause == NIL && query->limitOffset == nullptr &&
         query->limitCount == nullptr && query->rowMarks == NIL &&
         query->setOperations == nullptr && query->jointree != nullptr &&
         !contain_volatile_functions(as<Node>(query->targetList));
}

// Makes the only CTE of a query the subquery that it is used as. False if it is not only that.
bool inline_only_cte(Query* query, RangeTblEntry* entry) {
  if (list_length(query->cteList) != 1 || entry->ctelevelsup > 0 || entry->self_reference) {
    return false;
  }
  const auto* cte = static_cast<const CommonTableExpr*>(linitial(query->cteList));
  if (cte->cterecursive || cte->cterefcount != 1 || cte->ctematerialized == CTEMaterializeAlways) {
    return false;
  }
  entry->rtekind = RTE_SUBQUERY;
  entry->subquery = as<Query>(cte->ctequery);
  entry->security_barrier = false;
  entry->ctename = nullptr;
  entry->coltypes = entry->coltypmods = entry->colcollations = NIL;
  query->cteList = NIL;
  return true;
}

// --- columns of a subquery, as what they are computed of ---

struct Columns {
  Index entry;
  List* targets;
};

bool is_column_of(const Node* node, Index entry) {
  if (!IsA(node, Var)) return false;
  const auto* column = as<Var>(node);
  return column->varlevelsup == 0 && static_cast<Index>(column->varno) == entry;
}

bool find_whole_row(Node* node, void* entry) {
  if (node == nullptr) return false;
  if (is_column_of(node, *static_cast<Index*>(entry))) {
    return as<Var>(node)->varattno <= 0;
  }
  if (IsA(node, Query)) return true;  // a subquery may name columns from within
  return walk_expression(node, find_whole_row, entry);
}

Node* with_expressions(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  const auto* columns = static_cast<const Columns*>(context);
  if (!is_column_of(node, columns->entry)) return map_expression(node, with_expressions, context);
  const TargetEntry* target = get_tle_by_resno(columns->targets, as<Var>(node)->varattno);
  return static_cast<Node*>(copyObjectImpl(target->expr));
}

// Calls visit(Node*&) for all expressions in which the query names columns of what it reads.
template <class Visit>
void for_each_expression(Query* query, Visit visit) {
  const auto visit_as_node = [&](auto*& expression) {
    auto* node = as<Node>(expression);
    visit(node);
    expression = reinterpret_cast<std::remove_reference_t<decltype(expression)>>(node);
  };
  visit_as_node(query->targetList);
  visit_as_node(query->havingQual);
  visit_as_node(query->jointree->quals);
  change_grouped(query, [&](Node* grouped) {
    visit(grouped);
    return grouped;
  });
}

// --- the query ---

bool flatten(Query* query) {
  check_stack_depth();
  Index number = only_entry(query);
  if (number == 0) return false;
  RangeTblEntry* entry = rt_fetch(number, query->rtable);
  if (entry->rtekind == RTE_CTE && !inline_only_cte(query, entry)) return false;
  if (entry->rtekind != RTE_SUBQUERY || entry->security_barrier || entry->lateral) return false;
  Query* subquery = entry->subquery;
  (void)flatten(subquery);
  if (!is_simple(subquery)) return false;
  bool has_whole_rows = false;
  for_each_expression(
      query, [&](Node* node) { has_whole_rows = has_whole_rows || find_whole_row(node, &number); });
  if (has_whole_rows) return false;
  OffsetVarNodes(as<Node>(subquery), list_length(query->rtable), 0);
  IncrementVarSublevelsUp(as<Node>(subquery), -1, 1);
  append_entries(query, subquery);
  Columns columns{number, subquery->targetList};
  for_each_expression(query, [&](Node*& node) { node = with_expressions(node, &columns); });
  query->jointree = makeFromExpr(subquery->jointree->fromlist,
                                 make_and_qual(subquery->jointree->quals, query->jointree->quals));
  query->hasRowSecurity |= subquery->hasRowSecurity;
  entry->subquery = nullptr;  // as the planner leaves one that it has flattened
  return true;
}

}  // namespace

Query* flattened(const Query* query) {
  const Index number = only_entry(query);
  if (number == 0) return nullptr;
  const RTEKind kind = rt_fetch(number, query->rtable)->rtekind;
  if (kind != RTE_SUBQUERY && kind != RTE_CTE) return nullptr;
  auto* copy = static_cast<Query*>(copyObjectImpl(query));
  return flatten(copy) ? copy : nullptr;
}

}  // namespace idp
