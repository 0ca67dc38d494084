#include "extension/rewrite/plain_columns.h"

#include "extension/pg/outer_joins.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/rights.h"
#include "extension/pg/versions.h"

extern "C" {
#include "catalog/pg_class.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

namespace {

// --- which ---

bool reads_all_rows(const Query* query) {
  return takes_only(query, 0) && query->jointree->quals == nullptr;
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

// The table has the number that the subquery had.
void put_in_place(Query* query, int number, int inner) {
  RangeTblEntry* entry = rt_fetch(number, query->rtable);
  Query* subquery = entry->subquery;
  RangeTblEntry* table = rt_fetch(inner, subquery->rtable);
  ChangeVarNodes(as<Node>(table->securityQuals), inner, number, 0);
  ChangeVarNodes(as<Node>(subquery->targetList), inner, number, 0);
  *query = *with_values(query, number, subquery->targetList);
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
  return inner == 0 || names_whole_row(query, number) ? 0 : inner;
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
    put_in_place(query, number, inner);
  }
}

}  // namespace idp
