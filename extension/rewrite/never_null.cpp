#include "extension/rewrite/never_null.h"

#include "extension/pg/outer_joins.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parents.h"
#include "extension/pg/statement_room.h"

extern "C" {
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
}

namespace idp {

TableColumn kept_column(const Query* query, const Node* from, const Node* value) {
  check_stack_depth();
  if (!IsA(value, Var)) return {};
  const auto* column = as<Var>(value);
  if (column->varlevelsup > 0 || column->varattno <= 0 ||
      may_be_absent(from, static_cast<Index>(column->varno))) {
    return {};
  }
  const RangeTblEntry* entry = rt_fetch(column->varno, query->rtable);
  switch (entry->rtekind) {
    case RTE_RELATION:
      if (entry->inh && has_children(entry->relid)) return {};
      return {entry->relid, column->varattno};
    case RTE_SUBQUERY: {
      const Query* subquery = entry->subquery;
      if (subquery->commandType != CMD_SELECT || subquery->setOperations != nullptr ||
          subquery->groupingSets != NIL) {
        return {};
      }
      const TargetEntry* target = column_shown(subquery->targetList, column->varattno);
      return target == nullptr
                 ? TableColumn{}
                 : kept_column(subquery, as<Node>(subquery->jointree), as<Node>(target->expr));
    }
    case RTE_JOIN:
      return kept_column(
          query, from,
          static_cast<const Node*>(list_nth(entry->joinaliasvars, column->varattno - 1)));
    default:
      return {};
  }
}

bool is_never_null_column(const Query* query, const Node* value) {
  const TableColumn column = kept_column(query, as<Node>(query->jointree), value);
  return OidIsValid(column.table) && is_not_null(column.table, column.number, snapshot_at_work());
}

}  // namespace idp
