#include "extension/domain/levels.h"

#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parents.h"

extern "C" {
#include "optimizer/tlist.h"
}

namespace idp {

namespace {

TableColumn origin_in(const Level& level, AttrNumber number) {
  const Query* query = level.query;
  if (query->commandType != CMD_SELECT || query->setOperations != nullptr) return {};
  const TargetEntry* target = get_tle_by_resno(query->targetList, number);
  return target == nullptr ? TableColumn{} : origin_of(level, as<Node>(target->expr));
}

}  // namespace

FoundCte cte_of(const Level& level, const RangeTblEntry* entry) {
  const Level* owner = &level;
  for (Index i = 0; i < entry->ctelevelsup && owner != nullptr; ++i) owner = owner->outer;
  if (owner == nullptr || entry->self_reference) return {};
  for (auto* cte : list<CommonTableExpr>(owner->query->cteList)) {
    if (strcmp(cte->ctename, entry->ctename) == 0) return {cte, owner};
  }
  return {};
}

TableColumn origin_of(const Level& level, const Node* value) {
  check_stack_depth();
  if (!IsA(value, Var)) return {};
  const auto* column = as<Var>(value);
  if (column->varlevelsup > 0 || column->varattno <= 0) return {};
  RangeTblEntry* entry = rt_fetch(column->varno, level.query->rtable);
  switch (entry->rtekind) {
    case RTE_RELATION:
      return {entry->relid, column->varattno};
    case RTE_SUBQUERY:
      return origin_in({entry->subquery, &level}, column->varattno);
    case RTE_CTE: {
      const FoundCte found = cte_of(level, entry);
      if (found.cte == nullptr || found.cte->cterecursive) return {};
      return origin_in({as<Query>(found.cte->ctequery), found.owner}, column->varattno);
    }
    case RTE_JOIN:
      return origin_of(
          level, static_cast<const Node*>(list_nth(entry->joinaliasvars, column->varattno - 1)));
    default:
      return grouped_in(entry) != NIL ? origin_of(level, grouped_by(entry, column->varattno))
                                      : TableColumn{};
  }
}

TableColumn column_of_whole(const TableColumn& column) {
  if (!OidIsValid(column.table)) return column;
  const Oid whole = whole_of(column.table);
  if (whole == column.table) return column;
  return {whole, get_attnum(whole, get_attname(column.table, column.number, false))};
}

bool is_correlated(const Level& level) {
  auto* query = as<Node>(level.query);
  int up = 1;
  for (const Level* outer = level.outer; outer != nullptr; outer = outer->outer, ++up) {
    if (contain_vars_of_level(query, up)) return true;
  }
  return false;
}

}  // namespace idp
