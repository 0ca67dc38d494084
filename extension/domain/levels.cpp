#include "extension/domain/levels.h"

#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parents.h"
#include "extension/pg/statement_room.h"

extern "C" {
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
}

namespace idp {

FoundCte cte_of(const QueryLevel& level, const RangeTblEntry* entry) {
  take_step();
  const QueryLevel* owner = &level;
  for (Index i = 0; i < entry->ctelevelsup && owner != nullptr; ++i) owner = owner->outer;
  if (owner == nullptr || entry->self_reference) return {};
  for (auto* cte : list<CommonTableExpr>(owner->query->cteList)) {
    if (strcmp(cte->ctename, entry->ctename) == 0) return {cte, owner};
  }
  return {};
}

namespace {

// CTEs that read CTEs twice lead to more.
constexpr int kMostOrigins = 64;

bool add_origins(const QueryLevel& level, const Node* value, List** found);
bool add_origins_in(const QueryLevel& level, AttrNumber number, List** found);

bool add_origins_of_part(const QueryLevel& level, const Node* part, AttrNumber number,
                         List** found) {
  check_stack_depth();
  if (IsA(part, RangeTblRef)) {
    const RangeTblEntry* entry = rt_fetch(as<RangeTblRef>(part)->rtindex, level.query->rtable);
    return add_origins_in({entry->subquery, &level}, number, found);
  }
  const auto* operation = as<SetOperationStmt>(part);
  return add_origins_of_part(level, operation->larg, number, found) &&
         add_origins_of_part(level, operation->rarg, number, found);
}

bool add_origins_in(const QueryLevel& level, AttrNumber number, List** found) {
  const Query* query = level.query;
  if (query->commandType != CMD_SELECT) return false;
  if (query->setOperations != nullptr) {
    return add_origins_of_part(level, query->setOperations, number, found);
  }
  const TargetEntry* target = column_shown(query->targetList, number);
  return target != nullptr && add_origins(level, as<Node>(target->expr), found);
}

// False if it has others, or they are too many.
bool add_origins(const QueryLevel& level, const Node* value, List** found) {
  check_stack_depth();
  if (!IsA(value, Var)) return false;
  const auto* column = as<Var>(value);
  if (column->varlevelsup > 0 || column->varattno <= 0) return false;
  RangeTblEntry* entry = rt_fetch(column->varno, level.query->rtable);
  switch (entry->rtekind) {
    case RTE_RELATION: {
      if (list_length(*found) == kMostOrigins) return false;
      auto* origin = static_cast<TableColumn*>(palloc(sizeof(TableColumn)));
      *origin = {entry->relid, column->varattno};
      *found = lappend(*found, origin);
      return true;
    }
    case RTE_SUBQUERY:
      return add_origins_in({entry->subquery, &level}, column->varattno, found);
    case RTE_CTE: {
      const FoundCte cte = cte_of(level, entry);
      return cte.cte != nullptr && !cte.cte->cterecursive &&
             add_origins_in({as<Query>(cte.cte->ctequery), cte.owner}, column->varattno, found);
    }
    case RTE_JOIN:
      return add_origins(
          level, static_cast<const Node*>(list_nth(entry->joinaliasvars, column->varattno - 1)),
          found);
    default:
      return grouped_in(entry) != NIL &&
             add_origins(level, grouped_by(entry, column->varattno), found);
  }
}

}  // namespace

List* origins_of(const QueryLevel& level, const Node* value) {
  List* found = NIL;
  return add_origins(level, value, &found) ? found : NIL;
}

bool comes_only_from(const QueryLevel& level, const Node* value,
                     bool (*columns)(const TableColumn&)) {
  const List* origins = origins_of(level, value);
  for (const auto* origin : list<TableColumn>(origins)) {
    if (!columns(*origin)) return false;
  }
  return origins != NIL;
}

TableColumn origin_of(const QueryLevel& level, const Node* value) {
  const List* origins = origins_of(level, value);
  return list_length(origins) == 1 ? *static_cast<const TableColumn*>(linitial(origins))
                                   : TableColumn{};
}

TableColumn column_of_whole(const TableColumn& column) {
  if (!OidIsValid(column.table)) return column;
  const Oid whole = whole_of(column.table);
  if (whole == column.table) return column;
  return {whole, get_attnum(whole, get_attname(column.table, column.number, false))};
}

bool is_correlated(const QueryLevel& level) {
  auto* query = as<Node>(level.query);
  int up = 1;
  for (const QueryLevel* outer = level.outer; outer != nullptr; outer = outer->outer, ++up) {
    if (contain_vars_of_level(query, up)) return true;
  }
  return false;
}

const WindowFunc* rank_shown(const RangeTblEntry* entry, AttrNumber number, Query** within) {
  check_stack_depth();
  if (entry->rtekind != RTE_SUBQUERY || entry->subquery->setOperations != nullptr) return nullptr;
  const TargetEntry* target = column_shown(entry->subquery->targetList, number);
  if (target == nullptr) return nullptr;
  if (const auto* column = maybe<Var>(as<Node>(target->expr))) {
    if (column->varlevelsup > 0 || column->varattno <= 0) return nullptr;
    return rank_shown(rt_fetch(column->varno, entry->subquery->rtable), column->varattno, within);
  }
  const auto* call = maybe<WindowFunc>(as<Node>(target->expr));
  const bool is_rank =
      call != nullptr && (call->winfnoid == F_ROW_NUMBER || call->winfnoid == F_RANK_ ||
                          call->winfnoid == F_DENSE_RANK_);
  if (is_rank && within != nullptr) *within = entry->subquery;
  return is_rank ? call : nullptr;
}

}  // namespace idp
