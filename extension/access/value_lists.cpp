#include "extension/access/value_lists.h"

#include "extension/access/hidden.h"
#include "extension/domain/all_groups.h"
#include "extension/domain/pull_up.h"
#include "extension/domain/grain.h"
#include "extension/domain/key_columns.h"
#include "extension/domain/key_table.h"
#include "extension/domain/used_columns.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/citus_catalog.h"

extern "C" {
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
}

namespace idp {

namespace {

// The hidden table that the query reads, and nothing else; null if it reads another or more.
RangeTblEntry* only_hidden_table(const Query* query) {
  if (query->jointree == nullptr || list_length(query->jointree->fromlist) != 1) return nullptr;
  const auto* reference = static_cast<const RangeTblRef*>(linitial(query->jointree->fromlist));
  if (!IsA(reference, RangeTblRef)) return nullptr;
  RangeTblEntry* entry = rt_fetch(reference->rtindex, query->rtable);
  const bool is_hidden_table =
      entry->rtekind == RTE_RELATION && is_hidden(entry->relid) && !is_citus_table(entry->relid);
  return is_hidden_table ? entry : nullptr;
}

// Whether it shows each value once, however many rows have it. Windows and functions that return
// sets see groups, but not what DISTINCT leaves.
bool shows_values_once(const Query* query) {
  const bool only_distinct = query->groupClause == NIL && query->distinctClause != NIL &&
                             !query->hasWindowFuncs && !query->hasTargetSRFs;
  return query->commandType == CMD_SELECT && !query->hasAggs && !query->hasForUpdate &&
         query->rowMarks == NIL && query->setOperations == nullptr &&
         (query->groupClause != NIL || only_distinct);
}

void change_expressions(Query* query, List* keys) {
  query->targetList =
      reinterpret_cast<List*>(over_keys(reinterpret_cast<Node*>(query->targetList), keys));
  query->havingQual = over_keys(query->havingQual, keys);
#if PG_VERSION_NUM >= 180000
  if (const Index groups = entry_of_groups(query)) {
    RangeTblEntry* grouped = rt_fetch(groups, query->rtable);
    grouped->groupexprs =
        reinterpret_cast<List*>(over_keys(reinterpret_cast<Node*>(grouped->groupexprs), keys));
  }
#endif
}

// Whether it is answered by keys alone from now on.
bool list_keys(Query* query) {
  if (query->cteList != NIL) return false;
  RangeTblEntry* table = only_hidden_table(query);
  if (table == nullptr) return false;
  UsedColumns used{entry_of_groups(query)};
  List* grouped = grouped_expressions(query);
  add_used_columns(&used, reinterpret_cast<Node*>(grouped));
  add_used_columns(&used, reinterpret_cast<Node*>(query->targetList));
  add_used_columns(&used, query->havingQual);
  add_used_columns(&used, query->jointree->quals);
  if (!used.is_plain || used.columns == NIL) return false;
  List* shown = list_concat_copy(grouped, get_tlist_exprs(query->targetList, true));
  List* conditions = NIL;
  List* keys = key_columns(query, used.columns, shown, &conditions);
  if (keys == NIL) return false;
  if (!sees_cells_alone(reinterpret_cast<Node*>(query->targetList), keys) ||
      !sees_cells_alone(query->havingQual, keys) ||
      !sees_cells_alone(reinterpret_cast<Node*>(grouped), keys)) {
    return false;
  }
  // all of WHERE, for the keys that are left
  Node* where = query->jointree->quals;
  Node* condition = where == nullptr ? nullptr : condition_on_cells(where, keys);
  if (where != nullptr && condition == nullptr) return false;
  read_keys(query, keys, condition == nullptr ? NIL : list_make1(condition));
  change_expressions(query, keys);
  table->securityQuals = NIL;
  query->hasRowSecurity = true;  // the plan is for roles from which the table is hidden
  return true;
}

// The same, or of what it is without the subqueries in its FROM.
bool list_keys_anyhow(Query* query) {
  if (list_keys(query)) return true;
  Query* flat = flattened(query);
  if (flat == nullptr || !list_keys(flat)) return false;
  *query = *flat;
  return true;
}

bool visit(Node* node, void*) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, visit, nullptr);
  auto* query = reinterpret_cast<Query*>(node);
  // private aggregates read rows: they ask about those that have the values, not for these
  if (has_own_aggregate(reinterpret_cast<Node*>(query->targetList)) ||
      has_own_aggregate(query->havingQual)) {
    return false;
  }
  if (shows_values_once(query)) (void)list_keys_anyhow(query);
  return walk_query(query, visit, nullptr);
}

}  // namespace

bool is_value_list(const Query* query) {
  return shows_values_once(query) && list_keys_anyhow(static_cast<Query*>(copyObjectImpl(query)));
}

void list_values(Query* query) {
  if (may_have_domains(query)) (void)visit(reinterpret_cast<Node*>(query), nullptr);
}

}  // namespace idp
