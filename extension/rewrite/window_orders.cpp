#include "extension/rewrite/window_orders.h"

#include "extension/access/hidden.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/tlist.h"
#include "parser/parse_clause.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

bool starts_first(int frame) { return (frame & FRAMEOPTION_START_UNBOUNDED_PRECEDING) != 0; }
bool ends_last(int frame) { return (frame & FRAMEOPTION_END_UNBOUNDED_FOLLOWING) != 0; }

// Whether a frame holds the row that it is of, and so is never empty.
bool holds_row(int frame) {
  return (starts_first(frame) || (frame & FRAMEOPTION_START_CURRENT_ROW) != 0) &&
         (ends_last(frame) || (frame & FRAMEOPTION_END_CURRENT_ROW) != 0);
}

// Whether a function sees the rows of its partition one after another, and none as equal: by its
// nature, or by its frame.
bool goes_row_by_row(const WindowFunc* call, const WindowClause* window) {
  const int frame = window->frameOptions;
  const bool is_whole = (frame & FRAMEOPTION_EXCLUSION) == 0;
  const bool has_rows = is_whole && (frame & FRAMEOPTION_ROWS) != 0;
  switch (call->winfnoid) {
    case F_FIRST_VALUE:
      return has_rows || (is_whole && starts_first(frame) && holds_row(frame));
    case F_LAST_VALUE:
      return has_rows || (is_whole && ends_last(frame) && holds_row(frame));
    case F_ROW_NUMBER:
    case F_LAG_ANYELEMENT:
    case F_LAG_ANYELEMENT_INT4:
    case F_LAG_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE:
    case F_LEAD_ANYELEMENT:
    case F_LEAD_ANYELEMENT_INT4:
    case F_LEAD_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE:
      return true;
    default:
      return has_rows && call->winagg;
  }
}

struct Search {
  const WindowClause* window;
  bool is_used = false;
};

// A function of the window that sees peers.
bool find_peers(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return false;
  auto* search = static_cast<Search*>(context);
  if (IsA(node, WindowFunc) && as<WindowFunc>(node)->winref == search->window->winref) {
    search->is_used = true;
    if (!goes_row_by_row(as<WindowFunc>(node), search->window)) return true;
  }
  return walk_expression(node, find_peers, context);
}

bool may_be_completed(const Query* query, const WindowClause* window) {
  Search search{window};
  return !find_peers(as<Node>(query->targetList), &search) && search.is_used;
}

TargetEntry* target_of(Query* query, Var* column) {
  for (auto* target : list<TargetEntry>(query->targetList)) {
    if (IsA(target->expr, Var) && is_same_column(as<Var>(target->expr), column)) return target;
  }
  TargetEntry* target =
      output(as<Node>(column), list_length(query->targetList) + 1, name_of_column(query, column));
  target->resjunk = true;
  query->targetList = lappend(query->targetList, target);
  return target;
}

// sorted: of SortGroupClause, after which it sorts by the key. Not by what is given.
List* with_key(Query* query, const List* sorted, const List* given, int entry, const List* key) {
  const Oid table = rt_fetch(entry, query->rtable)->relid;
  List* clauses = list_copy(sorted);
  for (const int number : ints(key)) {
    Oid type = InvalidOid;
    int32 typmod = -1;
    Oid collation = InvalidOid;
    const auto column = static_cast<AttrNumber>(number);
    get_atttypetypmodcoll(table, column, &type, &typmod, &collation);
    TargetEntry* target = target_of(query, makeVar(entry, column, type, typmod, collation, 0));
    if (targetIsInSortList(target, InvalidOid, clauses) ||
        targetIsInSortList(target, InvalidOid, const_cast<List*>(given))) {
      continue;
    }
    const Index reference = assignSortGroupRef(target, query->targetList);
    clauses = lappend(clauses, clause_of(target, reference));
  }
  return clauses;
}

// The one hidden table whose rows a query reads, as they are; 0 if it reads something else.
int only_hidden_table(const Query* query) {
  const bool reads_one_table = query->commandType == CMD_SELECT && !query->hasAggs &&
                               query->groupClause == NIL && query->setOperations == nullptr &&
                               list_length(query->jointree->fromlist) == 1 &&
                               IsA(linitial(query->jointree->fromlist), RangeTblRef);
  if (!reads_one_table) return 0;
  const int entry =
      as<RangeTblRef>(static_cast<Node*>(linitial(query->jointree->fromlist)))->rtindex;
  const RangeTblEntry* table = rt_fetch(entry, query->rtable);
  return table->rtekind == RTE_RELATION && is_hidden(table->relid) ? entry : 0;
}

// The same of a query of windows.
int table_of_windows(const Query* query) {
  return query->hasWindowFuncs && query->distinctClause == NIL ? only_hidden_table(query) : 0;
}

// Whether no two rows are equal to what is sorted by: the key is among it.
bool sorts_by_key(const Query* query, const List* sorted, const List* key) {
  for (const int number : ints(key)) {
    bool is_sorted = false;
    for (const auto* clause : list<SortGroupClause>(sorted)) {
      const auto* column = maybe<Var>(
          get_sortgroupclause_expr(const_cast<SortGroupClause*>(clause), query->targetList));
      is_sorted |= column != nullptr && column->varattno == number;
    }
    if (!is_sorted) return false;
  }
  return key != NIL;
}

// Whether no two rows of a partition are peers.
bool has_no_peers(const Query* query, const WindowClause* window, const List* key) {
  return sorts_by_key(query, list_concat_copy(window->partitionClause, window->orderClause), key);
}

// Whether peers are all the same to a function, and the order of those in its frame is nothing.
bool sees_no_order(const WindowFunc* call, const WindowClause* window) {
  if ((window->frameOptions & FRAMEOPTION_ROWS) != 0) return false;
  switch (call->winfnoid) {
    case F_RANK_:
    case F_DENSE_RANK_:
    case F_COUNT_:
    case F_COUNT_ANY:
    case F_SUM_INT4:
    case F_SUM_INT8:
    case F_SUM_NUMERIC:
    case F_MIN_INT4:
    case F_MIN_DATE:
    case F_MIN_TIMESTAMP:
    case F_MIN_TIMESTAMPTZ:
    case F_MAX_INT4:
    case F_MAX_DATE:
    case F_MAX_TIMESTAMP:
    case F_MAX_TIMESTAMPTZ:
      return true;
    default:
      return false;
  }
}

struct Determined {
  const Query* query;
  const List* key;
};

bool find_undetermined(Node* node, void* context) {
  if (node == nullptr || IsA(node, Query)) return false;
  if (!IsA(node, WindowFunc)) return walk_expression(node, find_undetermined, context);
  const auto* search = static_cast<const Determined*>(context);
  const auto* call = as<WindowFunc>(node);
  const auto* window = static_cast<const WindowClause*>(
      list_nth(search->query->windowClause, static_cast<int>(call->winref) - 1));
  return !sees_no_order(call, window) && !has_no_peers(search->query, window, search->key);
}

}  // namespace

bool has_determined_windows(const Query* query) {
  const int entry = table_of_windows(query);
  if (entry == 0) return false;
  Determined search{query, primary_key_of(rt_fetch(entry, query->rtable)->relid)};
  return !find_undetermined(as<Node>(query->targetList), &search);
}

bool has_determined_first_rows(const Query* query) {
  const int entry = only_hidden_table(query);
  return entry != 0 && !query->hasWindowFuncs &&
         sorts_by_key(query, query->sortClause,
                      primary_key_of(rt_fetch(entry, query->rtable)->relid));
}

void complete_orders(Query* query) {
  const int entry = only_hidden_table(query);
  if (entry == 0) return;
  const List* key = primary_key_of(rt_fetch(entry, query->rtable)->relid);
  if (key == NIL) return;
  if (query->hasDistinctOn && !query->hasWindowFuncs) {
    const List* sorted = query->sortClause != NIL ? query->sortClause : query->distinctClause;
    query->sortClause = with_key(query, sorted, NIL, entry, key);
  }
  if (query->distinctClause != NIL) return;
  for (auto* window : list<WindowClause>(query->windowClause)) {
    if (!may_be_completed(query, window)) continue;
    window->orderClause = with_key(query, window->orderClause, window->partitionClause, entry, key);
  }
}

}  // namespace idp
