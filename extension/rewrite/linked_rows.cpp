#include "extension/rewrite/linked_rows.h"

#include "extension/catalog/link_rows.h"
#include "extension/domain/computed_below.h"
#include "extension/pg/groups.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/pg/outer_joins.h"
#include "extension/pg/parents.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/statement_room.h"
#include "extension/pg/versions.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/rewrite/never_null.h"
#include "extension/rewrite/unit_column.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "parser/parse_clause.h"
}

namespace idp {

Oid linked_table_told_by(const TableColumn& origin) {
  const TableColumn column = column_of_whole(origin);
  if (!OidIsValid(column.table) || is_unit_column(column)) return InvalidOid;
  const LinkRow* link = link_of(column.table);
  if (link == nullptr || !leads_to_unit(column.table)) return InvalidOid;
  const UniqueKey* key = unique_key_on(column.table, column.number, snapshot_at_work());
  if (key != nullptr && key->without_nulls) return column.table;
  return column_of_link(*link, column.table) == column.number ? link->parent() : Oid{InvalidOid};
}

int64 most_rows_told_by(const TableColumn& origin) {
  const Oid table = linked_table_told_by(origin);
  const LinkRow* link = OidIsValid(table) ? link_of(table) : nullptr;
  return link == nullptr ? 0 : link->max_rows();
}

bool follows_from_row(const QueryLevel& level, Node* value, const Var* key) {
  const RangeTblEntry* entry = rt_fetch(key->varno, level.query->rtable);
  const bool tells_own_row = entry->rtekind == RTE_RELATION &&
                             linked_table_told_by(origin_of(
                                 level, as<Node>(const_cast<Var*>(key)))) == whole_of(entry->relid);
  UsedColumns used{entry_of_groups(level.query)};
  add_used_columns(&used, value);
  if (!used.is_plain) return false;
  for (auto* column : list<Var>(used.columns)) {
    if (tells_own_row && column->varno == key->varno) continue;
    const TableColumn origin = origin_of(level, as<Node>(column));
    if (!OidIsValid(origin.table) || !is_unit_table(origin.table)) return false;
  }
  return true;
}

namespace {

// Whether groups of a query, or its different rows, are of one such row each, and do not show whose
// they are. A group of NULL would be of several units.
bool groups_linked_rows(const QueryLevel& level) {
  const Query* query = level.query;
  constexpr unsigned kSteps = step::kAggregates | step::kGroups | step::kImpliedGroups |
                              step::kHaving | step::kDistinct | step::kSubLinks | step::kWith;
  if (!takes_only(query, kSteps) || column_of_units(level) > 0) return false;
  if (query->groupClause != NIL && query->distinctClause != NIL) return false;
  const List* keys = query->groupClause != NIL ? query->groupClause : query->distinctClause;
  for (auto* clause : list<SortGroupClause>(keys)) {
    const Node* key = get_sortgroupclause_expr(clause, query->targetList);
    if (OidIsValid(linked_table_told_by(origin_of(level, key))) &&
        is_never_null_column(query, key)) {
      return true;
    }
  }
  return false;
}

void group_by_too(Query* query, AttrNumber column) {
  TargetEntry* target = column_shown(query->targetList, column);
  (void)assignSortGroupRef(target, query->targetList);
  SortGroupClause* clause = clause_of(target, target->ressortgroupref);
  List*& keys = query->groupClause != NIL ? query->groupClause : query->distinctClause;
  keys = lappend(keys, clause);
}

// The key by which a query has a group for each unit, and maybe for more, that it does not show;
// null if there is none.
const SortGroupClause* unit_not_shown(const QueryLevel& level) {
  const Query* query = level.query;
  constexpr unsigned kSteps = step::kAggregates | step::kGroups | step::kHaving | step::kSubLinks;
  if (!takes_only(query, kSteps) || column_of_units(level) > 0) return nullptr;
  for (const auto* clause : list<SortGroupClause>(query->groupClause)) {
    const TargetEntry* target = get_sortgroupref_tle(clause->tleSortGroupRef, query->targetList);
    if (target->resjunk && is_unit(level, as<Node>(target->expr))) return clause;
  }
  return nullptr;
}

// SELECT count(*) FROM orders GROUP BY customer, status: shows the customer as well.
AttrNumber show_key(Query* query, const SortGroupClause* clause) {
  TargetEntry* hidden = get_sortgroupref_tle(clause->tleSortGroupRef, query->targetList);
  query->targetList = list_delete_ptr(query->targetList, hidden);
  const AttrNumber column = give_column(query, as<Node>(hidden->expr));
  column_shown(query->targetList, column)->ressortgroupref = hidden->ressortgroupref;
  int number = 0;
  for (auto* target : list<TargetEntry>(query->targetList)) {
    target->resno = static_cast<AttrNumber>(++number);
  }
  return column;
}

void add_name_of_column(RangeTblEntry* entry, AttrNumber column) {
  if (column <= list_length(entry->eref->colnames)) return;
  const TargetEntry* target = column_shown(entry->subquery->targetList, column);
  entry->eref->colnames = lappend(entry->eref->colnames, makeString(pstrdup(target->resname)));
}

}  // namespace

void give_units_of_groups(const QueryLevel& level) {
  Query* query = level.query;
  if (path_to_unit(level) != NIL) return;
  for (const int number : ints(entries_read(as<Node>(query->jointree)))) {
    RangeTblEntry* entry = rt_fetch(number, query->rtable);
    if (entry->rtekind != RTE_SUBQUERY || may_be_absent(query, static_cast<Index>(number)) ||
        names_whole_row(query, number)) {
      continue;
    }
    const QueryLevel groups{entry->subquery, &level};
    put_groups_in_place(groups.query);
    if (const SortGroupClause* unit = unit_not_shown(groups)) {
      return add_name_of_column(entry, show_key(groups.query, unit));
    }
    if (!groups_linked_rows(groups)) continue;
    const List* path = path_to_unit(groups);
    if (path == NIL) continue;
    const AttrNumber column = give_column(groups.query, as<Node>(give_unit(groups, path)));
    group_by_too(groups.query, column);
    return add_name_of_column(entry, column);
  }
}

}  // namespace idp
