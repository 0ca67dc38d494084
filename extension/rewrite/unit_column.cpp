#include "extension/rewrite/unit_column.h"

#include "extension/access/hidden.h"
#include "extension/budget/account.h"
#include "extension/pg/outer_joins.h"
#include "extension/domain/computed_below.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/new_expressions.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parents.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/statement_room.h"
#include "extension/rewrite/parent_table.h"

extern "C" {
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
}

namespace idp {

const LinkRow* link_of(Oid table) {
  List* links = links_for_table(whole_of(table));
  return links == NIL ? nullptr : static_cast<const LinkRow*>(linitial(links));
}

namespace {

// A column of the whole in a partition of it, where it may have another number.
AttrNumber column_in_part(Oid whole, AttrNumber number, Oid part) {
  if (number <= 0 || whole == part) return number;
  const char* name = column_name(whole, number);
  return name == nullptr ? InvalidAttrNumber : get_attnum(part, name);
}

}  // namespace

AttrNumber column_of_link(const LinkRow& link, Oid table) {
  const Oid whole = whole_of(table);
  return column_in_part(whole, link.column_in(whole), table);
}

namespace {

// The account of the units that rows of a table belong to; null if none was declared.
const Account* account_of_units(Oid table) {
  for (const auto* account : list<Account>(accounts_of(table))) {
    if (account->unit != nullptr) return account;
  }
  return nullptr;
}

}  // namespace

bool is_unit_table(Oid table) {
  const Account* account = account_of_units(table);
  return account != nullptr && account->table == whole_of(table);
}

AttrNumber unit_column_of(Oid table) {
  const Account* account = account_of_units(table);
  if (account == nullptr) return InvalidAttrNumber;
  const Oid whole = whole_of(table);
  if (account->table == whole) return column_in_part(whole, account->unit_column, table);
  const LinkRow* link = link_of(table);
  const bool is_direct = link != nullptr && link->parent() == account->table;
  return is_direct ? column_of_link(*link, table) : InvalidAttrNumber;
}

bool leads_to_unit(Oid table) {
  check_stack_depth();
  if (unit_column_of(table) > 0) return true;
  const LinkRow* link = account_of_units(table) != nullptr ? link_of(table) : nullptr;
  return link != nullptr && OidIsValid(link->parent()) && link->referenced() > 0 &&
         column_of_link(*link, table) > 0 && leads_to_unit(link->parent());
}

bool is_unit_column(const TableColumn& origin) {
  const TableColumn column = column_of_whole(origin);
  return OidIsValid(column.table) && unit_column_of(column.table) == column.number;
}

bool is_unit(const QueryLevel& level, const Node* value) {
  return comes_only_from(level, value, is_unit_column);
}

AttrNumber column_of_units(const QueryLevel& level) {
  const Query* query = level.query;
  if (query->commandType != CMD_SELECT || query->groupingSets != NIL || query->hasTargetSRFs ||
      query->setOperations != nullptr || query->hasDistinctOn) {
    return InvalidAttrNumber;
  }
  const List* keys = query->distinctClause != NIL ? query->distinctClause : query->groupClause;
  for (const auto* clause : list<SortGroupClause>(keys)) {
    const TargetEntry* target =
        get_sortgroupclause_tle(const_cast<SortGroupClause*>(clause), query->targetList);
    if (!target->resjunk && is_unit(level, as<Node>(target->expr))) {
      return target->resno;
    }
  }
  return InvalidAttrNumber;
}

bool passes_rows(const Query* query) {
  return takes_only(query, step::kWindows | step::kWith | step::kSubLinks);
}

namespace {

// Which tables tell whose a row is: those with a column that says so, or all that lead to one.
// And subqueries with a group for each.
enum class Reach { kDirect, kAny, kGroups };

List* path_to_unit(const QueryLevel& level, Reach reach);

List* path_in(const QueryLevel& level, const RangeTblEntry* entry, Reach reach, bool* found) {
  *found = false;
  switch (entry->rtekind) {
    case RTE_RELATION: {
      const bool is_table =
          entry->relkind == RELKIND_RELATION || entry->relkind == RELKIND_PARTITIONED_TABLE;
      *found =
          is_table && entry->tablesample == nullptr && is_hidden(entry->relid) &&
          (reach == Reach::kAny ? leads_to_unit(entry->relid) : unit_column_of(entry->relid) > 0);
      return NIL;
    }
    case RTE_SUBQUERY: {
      if (reach == Reach::kGroups && column_of_units({entry->subquery, &level}) > 0) {
        *found = true;
        return NIL;
      }
      if (!passes_rows(entry->subquery)) return NIL;
      List* path = path_to_unit({entry->subquery, &level}, reach);
      *found = path != NIL;
      return path;
    }
    case RTE_CTE: {
      const FoundCte cte = cte_of(level, entry);
      if (cte.cte == nullptr || cte.cte->cterecursive) return NIL;
      auto* query = maybe<Query>(cte.cte->ctequery);
      if (query == nullptr || !passes_rows(query)) return NIL;
      List* path = path_to_unit({query, cte.owner}, reach);
      *found = path != NIL;
      return path;
    }
    default:
      return NIL;
  }
}

void add_name(Alias* names, const Query* query, AttrNumber number) {
  if (number <= list_length(names->colnames)) return;
  const TargetEntry* target = column_shown(query->targetList, number);
  names->colnames = lappend(names->colnames, makeString(pstrdup(target->resname)));
}

Var* give_from_cte(const QueryLevel& level, int number, const List* rest) {
  RangeTblEntry* entry = rt_fetch(number, level.query->rtable);
  const FoundCte found = cte_of(level, entry);
  auto* query = as<Query>(found.cte->ctequery);
  const Var* below = give_unit({query, found.owner}, rest);
  const AttrNumber column = give_column(query, as<Node>(below));
  CommonTableExpr* cte = found.cte;
  if (column > list_length(cte->ctecolnames)) {
    const TargetEntry* target = column_shown(query->targetList, column);
    // lists that the parser lets its readers share
    cte->ctecolnames = lappend(list_copy(cte->ctecolnames), makeString(pstrdup(target->resname)));
    cte->ctecoltypes = lappend_oid(list_copy(cte->ctecoltypes), below->vartype);
    cte->ctecoltypmods = lappend_int(list_copy(cte->ctecoltypmods), below->vartypmod);
    cte->ctecolcollations = lappend_oid(list_copy(cte->ctecolcollations), below->varcollid);
  }
  // it may have been given to another reader
  for (int i = list_length(entry->coltypes); i < list_length(cte->ctecoltypes); ++i) {
    entry->coltypes = lappend_oid(entry->coltypes, list_nth_oid(cte->ctecoltypes, i));
    entry->coltypmods = lappend_int(entry->coltypmods, list_nth_int(cte->ctecoltypmods, i));
    entry->colcollations =
        lappend_oid(entry->colcollations, list_nth_oid(cte->ctecolcollations, i));
    entry->eref->colnames =
        lappend(entry->eref->colnames, copyObjectImpl(list_nth(cte->ctecolnames, i)));
  }
  return column_like(number, column, as<Node>(below));
}

List* path_to_unit(const QueryLevel& level, Reach reach) {
  check_stack_depth();
  const auto* from = as<Node>(level.query->jointree);
  for (const int number : ints(entries_read(from))) {
    if (may_be_absent(level.query, static_cast<Index>(number))) continue;
    bool found = false;
    List* rest = path_in(level, rt_fetch(number, level.query->rtable), reach, &found);
    if (found) return lcons_int(number, rest);
  }
  return NIL;
}

}  // namespace

List* path_to_unit(const QueryLevel& level) {
  List* path = path_to_unit(level, Reach::kDirect);
  if (path == NIL) path = path_to_unit(level, Reach::kAny);
  return path != NIL ? path : path_to_unit(level, Reach::kGroups);
}

Var* unit_of_entry(Query* query, int number) {
  Oid table = rt_fetch(number, query->rtable)->relid;
  AttrNumber column = unit_column_of(table);
  while (column <= 0) {
    const LinkRow* link = link_of(table);
    number = join_parent(query, number, column_of_link(*link, table), link->parent(),
                         link->referenced());
    table = link->parent();
    column = unit_column_of(table);
  }
  return column_of_table(number, table, column);
}

Var* give_unit(const QueryLevel& level, const List* path) {
  const int number = linitial_int(path);
  RangeTblEntry* entry = rt_fetch(number, level.query->rtable);
  const List* rest = list_copy_tail(path, 1);
  if (entry->rtekind == RTE_CTE) return give_from_cte(level, number, rest);
  if (entry->rtekind == RTE_SUBQUERY && rest == NIL) {
    const AttrNumber column = column_of_units({entry->subquery, &level});
    const TargetEntry* target = column_shown(entry->subquery->targetList, column);
    return column_like(number, column, as<Node>(target->expr));
  }
  if (entry->rtekind == RTE_SUBQUERY) {
    const Var* below = give_unit({entry->subquery, &level}, rest);
    const AttrNumber column = give_column(entry->subquery, as<Node>(below));
    add_name(entry->eref, entry->subquery, column);
    return column_like(number, column, as<Node>(below));
  }
  return unit_of_entry(level.query, number);
}

}  // namespace idp
