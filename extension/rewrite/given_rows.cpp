#include "extension/rewrite/given_rows.h"

#include <algorithm>

#include "extension/access/hidden.h"
#include "extension/access/value_lists.h"
#include "extension/budget/account.h"
#include "extension/catalog/link_rows.h"
#include "extension/pg/groups.h"
#include "extension/pg/nodes.h"
#include "extension/pg/outer_joins.h"
#include "extension/rewrite/linked_rows.h"

extern "C" {
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
}

namespace idp {

namespace {

// Whether a column tells whose a row is: the unit's own table by its key, others by their link, or
// by a key of their own.
bool tells_unit(const TableColumn& origin) {
  const TableColumn column = column_of_whole(origin);
  const Oid table = column.table;
  if (!OidIsValid(table)) return false;
  for (const auto* account : list<Account>(accounts_of(table))) {
    if (account->unit == nullptr) continue;
    if (account->table == table && account->unit_column == column.number) return true;
  }
  for (const auto* link : list<LinkRow>(links_for_table(table))) {
    if (link->column_in(table) == column.number) return true;
  }
  return OidIsValid(linked_table_told_by(column));
}

// A CTE that was looked at: it may be read in many ways.
struct Seen {
  const CommonTableExpr* cte;
  Given given;
};

struct Search {
  const QueryLevel* level;
  List** seen;  // of Seen
  Given given;
};

Given given_by(const QueryLevel& level, List** seen);

Given given_by_cte(const QueryLevel& level, const RangeTblEntry* entry, List** seen) {
  const FoundCte found = cte_of(level, entry);
  if (found.cte == nullptr) return Given::kRows;  // of one that reads itself nothing is known
  for (const auto* one : list<Seen>(*seen)) {
    if (one->cte == found.cte) return one->given;
  }
  auto* one = static_cast<Seen*>(palloc(sizeof(Seen)));
  *one = {found.cte, given_by({as<Query>(found.cte->ctequery), found.owner}, seen)};
  *seen = lappend(*seen, one);
  return one->given;
}

Given given_by_entry(const QueryLevel& level, const RangeTblEntry* entry, List** seen) {
  switch (entry->rtekind) {
    case RTE_RELATION:
      return is_hidden(entry->relid) ? Given::kRows : Given::kNothing;
    case RTE_SUBQUERY:
      return given_by({entry->subquery, &level}, seen);
    case RTE_CTE:
      return given_by_cte(level, entry, seen);
    default:
      return Given::kNothing;
  }
}

bool add_subqueries(Node* node, void* context) {
  if (node == nullptr) return false;
  if (!IsA(node, Query)) return walk_expression(node, add_subqueries, context);
  auto* search = static_cast<Search*>(context);
  search->given = std::max(search->given, given_by({as<Query>(node), search->level}, search->seen));
  return false;
}

Given given_by(const QueryLevel& level, List** seen) {
  check_stack_depth();
  Query* query = level.query;
  if (is_value_list(query) && !groups_by_unit(level)) return Given::kAnswers;
  Search search{&level, seen, Given::kNothing};
  // entries may be left of what it does not read any more
  if (query->jointree->fromlist != NIL || query->setOperations != nullptr) {
    for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
      search.given = std::max(search.given, given_by_entry(level, entry, seen));
    }
  }
  (void)add_subqueries(as<Node>(query->targetList), &search);
  (void)add_subqueries(as<Node>(query->jointree), &search);
  (void)add_subqueries(query->havingQual, &search);
  const bool answers = query->hasAggs && !is_correlated(level) && !groups_by_unit(level);
  return answers ? std::min(search.given, Given::kAnswers) : search.given;
}

}  // namespace

bool groups_by_unit(const QueryLevel& level) {
  const Query* query = level.query;
  List* keys = list_concat_copy(grouped_expressions(query),
                                get_sortgrouplist_exprs(query->distinctClause, query->targetList));
  for (const auto* node : list<Node>(keys)) {
    if (comes_only_from(level, node, tells_unit)) return true;
  }
  return false;
}

Given given_by(const QueryLevel& level) {
  List* seen = NIL;
  return given_by(level, &seen);
}

Given given_by_entry(const QueryLevel& level, const RangeTblEntry* entry) {
  List* seen = NIL;
  return given_by_entry(level, entry, &seen);
}

bool reads_rows(const QueryLevel& level) {
  for (const int number : ints(entries_read(as<Node>(level.query->jointree)))) {
    if (given_by_entry(level, rt_fetch(number, level.query->rtable)) == Given::kRows) return true;
  }
  return false;
}

}  // namespace idp
