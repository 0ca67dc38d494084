#include "extension/pg/groups.h"

extern "C" {
#include "catalog/pg_constraint.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
}

namespace idp {

Index entry_of_groups(const Query* query) {
  ListCell* cell;
  foreach (cell, query->rtable) {
    if (grouped_in(static_cast<const RangeTblEntry*>(lfirst(cell))) != NIL) {
      return static_cast<Index>(foreach_current_index(cell)) + 1;
    }
  }
  return 0;
}

List* grouped_expressions(const Query* query) {
  if (const Index groups = entry_of_groups(query)) {
    return grouped_in(rt_fetch(groups, query->rtable));
  }
  return get_sortgrouplist_exprs(query->groupClause, query->targetList);
}

bool follows_from_keys(const Node* column, const List* keys, const List* entries) {
  if (!IsA(column, Var)) return false;
  const auto* var = reinterpret_cast<const Var*>(column);
  if (var->varlevelsup != 0) return false;
  const auto number = static_cast<Index>(var->varno);
  const RangeTblEntry* entry = rt_fetch(number, entries);
  if (entry->rtekind != RTE_RELATION) return false;
  List* constraints = NIL;
  return check_functional_grouping(entry->relid, number, 0, const_cast<List*>(keys), &constraints);
}

Node* column_of_groups(const Var* column, int entry) {
  auto* moved = static_cast<Var*>(copyObjectImpl(column));
  moved->varno = entry;
#if PG_VERSION_NUM >= 180000
  // by grouping sets, which stand for the entry there
  if (moved->varnullingrels != nullptr) moved->varnullingrels = bms_make_singleton(entry);
#endif
  return reinterpret_cast<Node*>(moved);
}

}  // namespace idp
