#include "extension/rewrite/other_choices.h"

#include "extension/access/hidden.h"
#include "extension/access/value_lists.h"
#include "extension/domain/levels.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/nodes.h"
#include "extension/pg/outer_joins.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/statement_room.h"
#include "extension/rewrite/given_rows.h"

extern "C" {
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

// --- which conditions ---

// rows: the query without its conditions.
bool is_list_where(const Query* rows, List* conditions) {
  Query* list = copy_of(rows);
  list->jointree->quals = joined_by_and(static_cast<List*>(copyObjectImpl(conditions)));
  return is_value_list(list);
}

bool is_listed(const Query* query, const Var* column) {
  for (const auto* listed : list<Var>(pull_vars_of_level(as<Node>(query->targetList), 0))) {
    if (listed->varno == column->varno && listed->varattno == column->varattno) return true;
  }
  return false;
}

// The name of a column that a condition is on, which is of the row alone, and of no column that is
// listed; null of any other one.
const char* column_of(const Query* query, Node* condition) {
  if (checkExprHasSubLink(condition) || contain_volatile_functions(condition)) return nullptr;
  const char* name = nullptr;
  for (const auto* column : list<Var>(pull_vars_of_level(condition, 0))) {
    if (column->varattno <= 0 || is_listed(query, column)) return nullptr;
    name = get_rte_attribute_name(rt_fetch(column->varno, query->rtable), column->varattno);
  }
  return name;
}

void say_that_all_are_listed(const char* column) {
  ereport(NOTICE,
          (errmsg("all values of the domains are listed, whatever \"%s\" is: add count(*) to see "
                  "which of them rows have",
                  column),
           errdetail("The list comes from domains and is free. No row is read for it, so that "
                     "conditions on other columns leave nothing out.")));
}

void leave_out_other_conditions(const QueryLevel& level) {
  Query* query = level.query;
  const bool groups = query->groupClause != NIL || query->distinctClause != NIL;
  if (!groups || query->hasAggs || query->jointree->quals == nullptr || is_value_list(query) ||
      groups_by_unit(level)) {
    return;
  }
  Query* rows = copy_of(query);
  rows->jointree->quals = nullptr;
  if (!is_list_where(rows, NIL)) return;
  List* kept = NIL;
  const char* other = nullptr;
  for (auto* condition : list<Node>(conjuncts(query->jointree->quals))) {
    if (is_list_where(rows, list_make1(condition))) {
      kept = lappend(kept, condition);
      continue;
    }
    other = column_of(query, condition);
    if (other == nullptr) return;
  }
  if (other == nullptr || !is_list_where(rows, kept)) return;
  say_that_all_are_listed(other);
  query->jointree->quals = joined_by_and(kept);
}

// --- where ---

bool find_other_aggregate(Node* node, void*) {
  if (node == nullptr || IsA(node, Query)) return false;
  if (const auto* call = maybe<Aggref>(node)) return call->aggfnoid != F_COUNT_;
  return walk_expression(node, find_other_aggregate, nullptr);
}

void visit(const QueryLevel& level) {
  check_stack_depth();
  Query* query = level.query;
  if (query->commandType != CMD_SELECT || query->jointree == nullptr) return;
  leave_out_other_conditions(level);
  const int number = query->hasSubLinks ? 0 : only_entry(query);
  if (number == 0 || find_other_aggregate(as<Node>(query->targetList), nullptr) ||
      find_other_aggregate(query->havingQual, nullptr)) {
    return;
  }
  const RangeTblEntry* entry = rt_fetch(number, query->rtable);
  if (entry->rtekind != RTE_SUBQUERY || entry->security_barrier) return;
  visit({entry->subquery, &level});
}

}  // namespace

void list_other_choices(Query* query) { visit({query, nullptr}); }

}  // namespace idp
