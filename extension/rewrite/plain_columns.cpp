#include "extension/rewrite/plain_columns.h"

#include "extension/domain/absent_rows.h"
#include "extension/domain/new_query.h"
#include "extension/domain/used_columns.h"
#include "extension/pg/nodes.h"
#include "extension/pg/rights.h"

extern "C" {
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

namespace {

// --- which ---

bool has_outer_join(const Node* from) {
  check_stack_depth();
  if (from == nullptr || IsA(from, RangeTblRef)) return false;
  if (IsA(from, JoinExpr)) {
    const auto* join = as<JoinExpr>(from);
    return join->jointype != JOIN_INNER || has_outer_join(join->larg) || has_outer_join(join->rarg);
  }
  for (const auto* part : list<Node>(as<FromExpr>(from)->fromlist)) {
    if (has_outer_join(part)) return true;
  }
  return false;
}

bool reads_all_rows(const Query* query) {
  return query->commandType == CMD_SELECT && !query->hasAggs && !query->hasWindowFuncs &&
         !query->hasTargetSRFs && !query->hasSubLinks && !query->hasDistinctOn &&
         !query->hasForUpdate && query->cteList == NIL && query->groupClause == NIL &&
         query->groupingSets == NIL && query->havingQual == nullptr && query->windowClause == NIL &&
         query->distinctClause == NIL && query->limitOffset == nullptr &&
         query->limitCount == nullptr && query->rowMarks == NIL &&
         query->setOperations == nullptr && query->jointree->quals == nullptr;
}

// The number in a subquery of the table whose columns it gives, and nothing else; 0 if there is
// more to it. Then a column of it is NULL in the same rows as that of the table, whichever side of
// a join it stands on.
int table_given(Query* query) {
  if (!reads_all_rows(query) || list_length(query->jointree->fromlist) != 1) return 0;
  const auto* reference =
      maybe<RangeTblRef>(static_cast<Node*>(linitial(query->jointree->fromlist)));
  if (reference == nullptr) return 0;
  const RangeTblEntry* entry = rt_fetch(reference->rtindex, query->rtable);
  const bool is_table =
      entry->rtekind == RTE_RELATION && entry->tablesample == nullptr &&
      (entry->relkind == RELKIND_RELATION || entry->relkind == RELKIND_PARTITIONED_TABLE);
  if (!is_table || names_outer_columns(query)) return 0;
  for (const auto* target : list<TargetEntry>(query->targetList)) {
    const auto* column = maybe<Var>(target->expr);
    if (column == nullptr || column->varlevelsup > 0 || column->varattno <= 0 ||
        static_cast<int>(column->varno) != reference->rtindex) {
      return 0;
    }
  }
  return reference->rtindex;
}

// --- its columns ---

struct Columns {
  int entry;
  const List* targets;  // of the subquery
  bool changes;         // or else only looks for whole rows
  Index depth = 0;
};

bool visit(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* columns = static_cast<Columns*>(context);
  if (IsA(node, Query)) {
    ++columns->depth;
    const bool found = walk_query(as<Query>(node), visit, context);
    --columns->depth;
    return found;
  }
  if (!IsA(node, Var)) return walk_expression(node, visit, context);
  auto* column = as<Var>(node);
  if (column->varlevelsup != columns->depth || static_cast<int>(column->varno) != columns->entry) {
    return false;
  }
  if (column->varattno <= 0) return true;
  if (!columns->changes) return false;
  const TargetEntry* target =
      get_tle_by_resno(const_cast<List*>(columns->targets), column->varattno);
  column->varattno = column->varattnosyn = as<Var>(target->expr)->varattno;
  column->varnosyn = static_cast<Index>(columns->entry);
  return false;
}

// --- the table ---

RangeTblEntry* without_subquery(RangeTblEntry* entry) {
  if (!OidIsValid(entry->relid)) return new_entry(RTE_RESULT, "*RESULT*", NIL);
  // a view, whose rights are asked for here from PostgreSQL 16 on
  entry->subquery = new_query();
  entry->subquery->jointree = makeFromExpr(NIL, nullptr);
  return entry;
}

// The table has the number that the subquery had.
void put_in_place(Query* query, int number, int inner) {
  RangeTblEntry* entry = rt_fetch(number, query->rtable);
  Query* subquery = entry->subquery;
  RangeTblEntry* table = rt_fetch(inner, subquery->rtable);
  Columns columns{number, subquery->targetList, true};
  (void)walk_query(query, visit, &columns);
  ChangeVarNodes(as<Node>(table->securityQuals), inner, number, 0);
  const int before = list_length(query->rtable);
  append_entries(query, subquery);
  list_nth_cell(query->rtable, number - 1)->ptr_value = table;
  list_nth_cell(query->rtable, before + inner - 1)->ptr_value = without_subquery(entry);
  query->hasRowSecurity |= subquery->hasRowSecurity;
}

int table_in_place_of(Query* query, int number) {
  RangeTblEntry* entry = rt_fetch(number, query->rtable);
  if (entry->rtekind != RTE_SUBQUERY || entry->security_barrier || entry->lateral ||
      entry->securityQuals != NIL) {
    return 0;
  }
  const int inner = table_given(entry->subquery);
  Columns columns{number, entry->subquery->targetList, false};
  return inner == 0 || walk_query(query, visit, &columns) ? 0 : inner;
}

}  // namespace

void read_tables_themselves(Query* query) {
  const bool may_change = query->jointree != nullptr && query->rowMarks == NIL &&
                          query->setOperations == nullptr &&
                          has_outer_join(as<Node>(query->jointree));
  if (!may_change) return;
  for (int number = list_length(query->rtable); number > 0; --number) {
    const int inner = table_in_place_of(query, number);
    if (inner == 0 || !holds(as<Node>(query->jointree), static_cast<Index>(number))) continue;
    // columns are changed where they stand: no two places may share one
    *query = *static_cast<Query*>(copyObjectImpl(query));
    put_in_place(query, number, inner);
  }
}

}  // namespace idp
