#include "extension/rewrite/existence_of_rows.h"

#include "extension/access/hidden.h"
#include "extension/pg/keys.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/outer_joins.h"
#include "extension/pg/rights.h"
#include "extension/pg/versions.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/rewrite/unit_column.h"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

// --- which rows ---

struct OuterColumns {
  Index depth = 0;
  int entry = 0;  // that all of them are of
  bool is_plain = true;
};

bool find_outer(Node* node, void* context) {
  if (node == nullptr) return false;
  auto* outer = static_cast<OuterColumns*>(context);
  if (IsA(node, Query)) {
    ++outer->depth;
    (void)walk_query(as<Query>(node), find_outer, context, QTW_EXAMINE_RTES_BEFORE);
    --outer->depth;
    return false;
  }
  if (IsA(node, RangeTblEntry)) {
    const auto* entry = as<RangeTblEntry>(node);
    outer->is_plain &= entry->rtekind != RTE_CTE || entry->ctelevelsup < outer->depth;
    return false;
  }
  if (IsA(node, Aggref)) outer->is_plain &= as<Aggref>(node)->agglevelsup < outer->depth;
  if (IsA(node, GroupingFunc)) outer->is_plain = false;
  if (!IsA(node, Var)) return walk_expression(node, find_outer, context);
  const auto* column = as<Var>(node);
  if (column->varlevelsup < outer->depth) return false;
  const bool is_one = column->varlevelsup == outer->depth && column->varattno > 0 &&
                      (outer->entry == 0 || outer->entry == static_cast<int>(column->varno));
  outer->is_plain &= is_one;
  outer->entry = static_cast<int>(column->varno);
  return false;
}

// The entry of the level, a table, of whose rows all columns are that a subquery names from
// outside; 0 if it names others, or the rows may be absent.
int entry_named_by(const Query* query, Query* subquery) {
  OuterColumns outer;
  (void)find_outer(as<Node>(subquery), &outer);
  if (!outer.is_plain || outer.entry == 0) return 0;
  const RangeTblEntry* entry = rt_fetch(outer.entry, query->rtable);
  const bool is_table = entry->rtekind == RTE_RELATION && entry->tablesample == nullptr &&
                        (entry->relkind == RELKIND_PARTITIONED_TABLE
                             ? entry->inh
                             : entry->relkind == RELKIND_RELATION && !has_subclass(entry->relid));
  const bool is_read =
      is_table && is_hidden(entry->relid) && !may_be_absent(query, static_cast<Index>(outer.entry));
  return is_read ? outer.entry : 0;
}

// --- the join ---

// The rows of a table, by its key and unit, for which there are some.
Query* rows_with_some(const Query* query, int number, const SubLink* link, const List* columns) {
  auto* entry = static_cast<RangeTblEntry*>(copyObjectImpl(rt_fetch(number, query->rtable)));
  Query* rows = new_query();
  rows->rtable = list_make1(entry);
  move_rights(rows, query, entry);
  auto* condition = static_cast<Node*>(copyObjectImpl(link));
  ChangeVarNodes(condition, number, 1, 0);
  ChangeVarNodes(as<Node>(entry->securityQuals), number, 1, 0);
  rows->jointree = makeFromExpr(list_make1(reference_to(1)), condition);
  rows->hasSubLinks = rows->hasAggs = true;
  rows->hasRowSecurity = query->hasRowSecurity;
  for (auto* column : list<Var>(columns)) {
    const int position = list_length(rows->targetList) + 1;
    auto* own = static_cast<Var*>(copyObjectImpl(column));
    own->varno = 1;
    TargetEntry* key = output(as<Node>(own), position, psprintf("key %d", position));
    rows->targetList = lappend(rows->targetList, key);
    rows->groupClause = lappend(rows->groupClause, clause_of(key, static_cast<Index>(position)));
  }
  rows->targetList =
      lappend(rows->targetList, output(as<Node>(aggregate_call(F_COUNT_, INT8OID, nullptr)),
                                       list_length(rows->targetList) + 1, "count"));
  return rows;
}

}  // namespace

Node* value_of_existence(Query* query, const SubLink* link) {
  if (link->subLinkType != EXISTS_SUBLINK) return nullptr;
  auto* subquery = as<Query>(link->subselect);
  if (contain_volatile_functions(as<Node>(subquery->jointree))) return nullptr;
  const int number = entry_named_by(query, subquery);
  if (number == 0) return nullptr;
  const Oid table = rt_fetch(number, query->rtable)->relid;
  const List* key = primary_key_of(table);
  const AttrNumber unit = unit_column_of(table);
  if (list_length(key) != 1 || unit <= 0 || !is_not_null(table, unit, snapshot_at_work())) {
    return nullptr;
  }
  List* columns =
      list_make1(column_of_table(number, table, static_cast<AttrNumber>(linitial_int(key))));
  columns = list_append_unique(columns, column_of_table(number, table, unit));

  Query* rows = rows_with_some(query, number, link, columns);
  RangeTblEntry* entry = new_entry(RTE_SUBQUERY, "rows with some", names_of(rows));
  entry->subquery = rows;
  query->rtable = lappend(query->rtable, entry);
  const int joined = list_length(query->rtable);
  Node* condition = nullptr;
  AttrNumber position = 0;
  for (auto* column : list<Var>(columns)) {
    Node* other = as<Node>(column_like(joined, ++position, as<Node>(column)));
    condition = make_and_qual(condition, operation("=", other, as<Node>(column)));
  }
  ListCell* cell;
  foreach (cell, query->jointree->fromlist) {
    auto* part = static_cast<Node*>(lfirst(cell));
    if (holds(part, static_cast<Index>(number))) {
      lfirst(cell) = left_join(query, part, joined, condition);
    }
  }
  Var* count = makeVar(joined, static_cast<AttrNumber>(position + 1), INT8OID, -1, InvalidOid, 0);
  be_absent_by(count, list_length(query->rtable));
  return operation(">", coalesced(as<Node>(count), bigint(0)), bigint(0));
}

}  // namespace idp
