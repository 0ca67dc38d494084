// Does before planning what the planner does by itself (pull_up_subqueries), for the simple cases.
#include "extension/domain/pull_up.h"

#include "extension/pg/outer_joins.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/rights.h"
#include "extension/pg/versions.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
}

namespace idp {

namespace {

// --- which ---

// Whether it only chooses rows and computes columns, the same each time. Their order is nothing to
// private aggregates.
bool chooses_same(const Query* query) {
  return takes_only(query, step::kSubLinks) &&
         !contain_volatile_functions(as<Node>(query->targetList)) &&
         !checkExprHasSubLink(as<Node>(query->targetList));
}

bool is_simple(const Query* query) {
  return query->jointree->fromlist != NIL && chooses_same(query);
}

// Others are lists of values, whose rows all may know.
bool reads_table(const Query* query) {
  for (const int number : ints(entries_read(as<Node>(query->jointree)))) {
    if (rt_fetch(number, query->rtable)->rtekind == RTE_RELATION) return true;
  }
  return false;
}

bool gives_plain_columns(const Query* query) {
  for (const auto* target : list<TargetEntry>(query->targetList)) {
    if (!IsA(target->expr, Var)) return false;
  }
  return true;
}

// A CTE of a query that is read once as the subquery that it is. False if there is more to it.
bool inline_cte(Query* query, RangeTblEntry* entry) {
  if (entry->ctelevelsup > 0 || entry->self_reference) return false;
  for (auto* cte : list<CommonTableExpr>(query->cteList)) {
    if (strcmp(cte->ctename, entry->ctename) != 0) continue;
    const auto* subquery = as<Query>(cte->ctequery);
    if (cte->cterecursive || cte->cterefcount != 1 || !is_simple(subquery) ||
        cte->ctematerialized == CTEMaterializeAlways) {
      return false;
    }
    entry->rtekind = RTE_SUBQUERY;
    entry->subquery = as<Query>(cte->ctequery);
    entry->security_barrier = false;
    entry->ctename = nullptr;
    entry->coltypes = entry->coltypmods = entry->colcollations = NIL;
    query->cteList = list_delete_ptr(query->cteList, cte);
    return true;
  }
  return false;
}

bool can_be_pulled_up(Query* query, int number) {
  RangeTblEntry* entry = rt_fetch(number, query->rtable);
  if (entry->rtekind == RTE_CTE && !inline_cte(query, entry)) return false;
  if (entry->rtekind != RTE_SUBQUERY || entry->security_barrier || entry->lateral ||
      entry->securityQuals != NIL || !is_simple(entry->subquery) || !reads_table(entry->subquery)) {
    return false;
  }
  // what a step puts NULL in place of must be a column
  if (query->groupingSets != NIL && !gives_plain_columns(entry->subquery)) return false;
  return !names_whole_row(query, number);
}

// --- where ---

// The part of FROM that is such an entry, where no outer join may have NULL in place of its rows;
// null if there is none.
Node** find_in(Node** part, Query* query) {
  check_stack_depth();
  if (IsA(*part, RangeTblRef)) {
    return can_be_pulled_up(query, as<RangeTblRef>(*part)->rtindex) ? part : nullptr;
  }
  if (!IsA(*part, JoinExpr)) return nullptr;
  auto* join = as<JoinExpr>(*part);
  const bool keeps_left = join->jointype == JOIN_INNER || join->jointype == JOIN_LEFT;
  const bool keeps_right = join->jointype == JOIN_INNER || join->jointype == JOIN_RIGHT;
  Node** found = keeps_left ? find_in(&join->larg, query) : nullptr;
  return found == nullptr && keeps_right ? find_in(&join->rarg, query) : found;
}

Node** place_to_pull_up(Query* query) {
  ListCell* cell;
  foreach (cell, query->jointree->fromlist) {
    Node** found = find_in(reinterpret_cast<Node**>(&lfirst(cell)), query);
    if (found != nullptr) return found;
  }
  return nullptr;
}

// The parts of FROM as one: joined without a condition.
Node* joined(const List* parts) {
  Node* all = nullptr;
  for (auto* part : list<Node>(parts)) {
    if (all == nullptr) {
      all = part;
      continue;
    }
    auto* join = makeNode(JoinExpr);
    join->jointype = JOIN_INNER;
    join->larg = all;
    join->rarg = part;
    all = as<Node>(join);
  }
  return all;
}

// Other parts stand in the place of one.
void put_in_place(FromExpr* from, Node** place, List* parts) {
  List* all = NIL;
  bool is_own = false;
  ListCell* cell;
  foreach (cell, from->fromlist) {
    const bool is_place = reinterpret_cast<Node**>(&lfirst(cell)) == place;
    all = is_place ? list_concat(all, parts) : lappend(all, lfirst(cell));
    is_own |= is_place;
  }
  if (is_own) {
    from->fromlist = all;
  } else {
    *place = joined(parts);
  }
}

// --- the move ---

void pull_up(Query* query, Node** place) {
  const int number = as<RangeTblRef>(*place)->rtindex;
  RangeTblEntry* entry = rt_fetch(number, query->rtable);
  Query* subquery = entry->subquery;
  OffsetVarNodes(as<Node>(subquery), list_length(query->rtable), 0);
  IncrementVarSublevelsUp(as<Node>(subquery), -1, 1);
  put_in_place(query->jointree, place, subquery->jointree->fromlist);
  query->jointree->quals = make_and_qual(subquery->jointree->quals, query->jointree->quals);
  query->hasRowSecurity |= subquery->hasRowSecurity;
  query->hasSubLinks |= subquery->hasSubLinks;
  list_nth_cell(query->rtable, number - 1)->ptr_value = without_subquery(entry);
  append_entries(query, subquery);
  if (gives_plain_columns(subquery)) {
    *query = *with_values(query, number, subquery->targetList);
    return;
  }
  // what is computed stands in each place that names it, and that in each that names this
  const int64 before = nodes_within(query);
  *query = *with_values(query, number, subquery->targetList);
  take_room(Max(nodes_within(query) - before, 0));
}

// --- a row of values ---

// The number of a subquery that is one row of expressions, SELECT now() - interval '30 days' AS
// since, beside other parts of FROM; 0 if this is none.
int row_of_values(Query* query, const Node* part) {
  if (!IsA(part, RangeTblRef)) return 0;
  const int number = as<RangeTblRef>(part)->rtindex;
  const RangeTblEntry* entry = rt_fetch(number, query->rtable);
  const bool is_subquery = entry->rtekind == RTE_SUBQUERY && !entry->security_barrier &&
                           !entry->lateral && entry->securityQuals == NIL;
  if (!is_subquery || query->groupingSets != NIL) return 0;
  const Query* row = entry->subquery;
  const bool is_row = chooses_same(row) && !row->hasSubLinks && row->jointree->fromlist == NIL &&
                      row->jointree->quals == nullptr;
  return is_row && !names_whole_row(query, number) ? number : 0;
}

// A part of FROM without such a row, whose number this is then: one that inner joins join, maybe on
// the side of outer ones that keeps its rows.
Node* without_row(Query* query, Node* part, int* number) {
  check_stack_depth();
  auto* join = maybe<JoinExpr>(part);
  if (join == nullptr) return part;
  const bool is_inner = join->jointype == JOIN_INNER;
  const bool is_named = join->rtindex > 0 && names_column_of(query, join->rtindex);
  if (is_inner && !is_named) {
    *number = row_of_values(query, join->rarg);
    Node* other = *number > 0 ? join->larg : join->rarg;
    if (*number == 0) *number = row_of_values(query, join->larg);
    if (*number > 0) {
      query->jointree->quals = make_and_qual(join->quals, query->jointree->quals);
      return other;
    }
  }
  if (is_inner || join->jointype == JOIN_LEFT) {
    join->larg = without_row(query, join->larg, number);
  }
  if (*number == 0 && (is_inner || join->jointype == JOIN_RIGHT)) {
    join->rarg = without_row(query, join->rarg, number);
  }
  return part;
}

// What named columns of such a row may be computed once for all rows now: generate_series(p.first,
// p.last).
void forget_sides(Query* query) {
  for (auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (!entry->lateral) continue;
    if (entry->rtekind == RTE_FUNCTION) {
      entry->lateral = contain_vars_of_level(as<Node>(entry->functions), 0);
    } else if (entry->rtekind == RTE_SUBQUERY) {
      entry->lateral = contain_vars_of_level(as<Node>(entry->subquery), 1);
    }
  }
}

// Puts the values of such a row in the places of its columns. False if there is none.
bool pull_up_values(Query* query) {
  int number = 0;
  List* left = NIL;
  for (auto* part : list<Node>(query->jointree->fromlist)) {
    if (number == 0 && list_length(query->jointree->fromlist) > 1) {
      number = row_of_values(query, part);
      if (number > 0) continue;
    }
    left = lappend(left, number > 0 ? part : without_row(query, part, &number));
  }
  if (number == 0) return false;
  query->jointree->fromlist = left;
  RangeTblEntry* entry = rt_fetch(number, query->rtable);
  Query* row = entry->subquery;
  IncrementVarSublevelsUp(as<Node>(row), -1, 1);
  list_nth_cell(query->rtable, number - 1)->ptr_value = without_subquery(entry);
  const int64 before = nodes_within(query);
  *query = *with_values(query, number, row->targetList);
  take_room(Max(nodes_within(query) - before, 0));
  forget_sides(query);
  return true;
}

// What a join gives that no column is named of: columns of subqueries are computed there, too.
void forget_columns_of_joins(Query* query) {
  int number = 0;
  for (auto* entry : list<RangeTblEntry>(query->rtable)) {
    ++number;
    if (entry->rtekind != RTE_JOIN || entry->joinaliasvars == NIL) continue;
    if (names_column_of(query, number)) continue;
    entry->joinaliasvars = entry->joinleftcols = entry->joinrightcols = NIL;
    entry->joinmergedcols = 0;
    entry->eref = makeAlias(entry->eref->aliasname, NIL);
  }
}

// What only costs once nothing more is pulled up: done for queries that stay.
void settle(Query* query) {
  forget_columns_of_joins(query);
  put_in_order_of_from(query);
}

// Leaves the query itself to be settled.
bool pull_up_all(Query* query) {
  check_stack_depth();
  if (query->commandType != CMD_SELECT || query->jointree == nullptr ||
      query->setOperations != nullptr || query->rowMarks != NIL) {
    return false;
  }
  List* changed = NIL;
  for (auto* entry : list<RangeTblEntry>(query->rtable)) {
    if (entry->rtekind == RTE_SUBQUERY && entry->subquery != nullptr &&
        pull_up_all(entry->subquery)) {
      changed = lappend(changed, entry);
    }
  }
  bool is_changed = false;
  while (pull_up_values(query)) is_changed = true;
  for (Node** place = place_to_pull_up(query); place != nullptr; place = place_to_pull_up(query)) {
    CHECK_FOR_INTERRUPTS();
    if (!is_changed) forget_columns_of_joins(query);  // before these are copied time and again
    pull_up(query, place);
    is_changed = true;
  }
  for (auto* entry : list<RangeTblEntry>(changed)) {
    if (list_member_ptr(query->rtable, entry)) settle(entry->subquery);
  }
  return is_changed || changed != NIL;
}

}  // namespace

bool pull_up_rows(Query* query) {
  const bool is_changed = pull_up_all(query);
  if (is_changed) settle(query);
  return is_changed;
}

Query* flattened(const Query* query) {
  auto* copy = copy_of(query);
  return pull_up_rows(copy) ? copy : nullptr;
}

}  // namespace idp
