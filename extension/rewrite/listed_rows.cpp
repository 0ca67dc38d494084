#include "extension/rewrite/listed_rows.h"

#include "extension/access/hidden.h"
#include "extension/access/refusal.h"
#include "extension/domain/domain.h"
#include "extension/domain/key_origin.h"
#include "extension/domain/public_table.h"
#include "extension/domain/session_zone.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/fold.h"
#include "extension/pg/groups.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/pg/outer_joins.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/versions.h"
#include "extension/plan/new_query.h"
#include "extension/plan/used_columns.h"
#include "extension/rewrite/existence.h"
#include "extension/rewrite/labelled_parts.h"
#include "extension/rewrite/spine_joins.h"

extern "C" {
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/date.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

// More rows are left to be refused: each is a query to plan.
constexpr int kMostRows = 100;

// --- the list ---

// Of List of Node: the values of each row; NIL if they are not constants, or too many.
List* rows_of_values(const RangeTblEntry* entry) {
  if (list_length(entry->values_lists) > kMostRows) return NIL;
  List* rows = NIL;
  for (auto* values : list<List>(entry->values_lists)) {
    List* row = NIL;
    for (auto* value : list<Node>(values)) {
      Node* constant = folded(value);
      if (!IsA(constant, Const)) return NIL;
      row = lappend(row, constant);
    }
    rows = lappend(rows, row);
  }
  return rows;
}

// What generate_series() gives, of constants. Days and months of instants follow the zone of the
// session.
List* rows_of_series(Node* series_call) {
  auto* call = maybe<FuncExpr>(series_call);
  if (call == nullptr) return NIL;
  switch (call->funcid) {
    case F_GENERATE_SERIES_TIMESTAMPTZ_TIMESTAMPTZ_INTERVAL:
      (void)zone_of_session();
      break;
    case F_GENERATE_SERIES_INT4_INT4:
    case F_GENERATE_SERIES_INT4_INT4_INT4:
    case F_GENERATE_SERIES_TIMESTAMP_TIMESTAMP_INTERVAL:
      break;
    default:
      return NIL;
  }
  for (auto* argument : list<Node>(call->args)) {
    if (!is_same_for_all_rows(argument) || contain_mutable_functions(argument)) {
      const auto* cast = maybe<FuncExpr>(argument);
      const bool is_day =
          cast != nullptr && cast->funcid == F_TIMESTAMPTZ_DATE && IsA(linitial(cast->args), Const);
      if (!is_day) return NIL;
    }
  }
  EState* state = CreateExecutorState();
  const MemoryContext outside = MemoryContextSwitchTo(state->es_query_cxt);
  ExprContext* context = GetPerTupleExprContext(state);
  auto* copy = static_cast<Expr*>(copyObjectImpl(call));
  fix_opfuncids(as<Node>(copy));
  SetExprState* series = ExecInitFunctionResultSet(copy, context, nullptr);
  int16 length;
  bool by_value;
  get_typlenbyval(call->funcresulttype, &length, &by_value);
  List* rows = NIL;
  for (bool is_over = false; !is_over;) {
    bool is_null = false;
    ExprDoneCond done = ExprSingleResult;
    const Datum value =
        ExecMakeFunctionResultSet(series, context, state->es_query_cxt, &is_null, &done);
    is_over = done != ExprMultipleResult;
    if (done == ExprEndResult) break;
    MemoryContextSwitchTo(outside);
    const bool fits = !is_null && list_length(rows) < kMostRows;
    rows = fits
               ? lappend(rows,
                         list_make1(makeConst(call->funcresulttype, -1, InvalidOid, length,
                                              datumCopy(value, by_value, length), false, by_value)))
               : NIL;
    MemoryContextSwitchTo(state->es_query_cxt);
    is_over |= !fits;
  }
  MemoryContextSwitchTo(outside);
  FreeExecutorState(state);
  return rows;
}

// The day of an instant; null of anything else.
Const* day_of(const FuncExpr* cast, const Const* value) {
  if (value->constisnull) return nullptr;
  if (cast->funcid == F_DATE_TIMESTAMPTZ) (void)zone_of_session();
  const PGFunction day = cast->funcid == F_DATE_TIMESTAMPTZ ? timestamptz_date : timestamp_date;
  return makeConst(DATEOID, -1, InvalidOid, sizeof(DateADT),
                   DirectFunctionCall1(day, value->constvalue), false, true);
}

// What a value is the day of; null if it is none.
const FuncExpr* as_day(Node* value) {
  const auto* cast = maybe<FuncExpr>(value);
  const bool is_day =
      cast != nullptr && (cast->funcid == F_DATE_TIMESTAMPTZ || cast->funcid == F_DATE_TIMESTAMP);
  return is_day ? cast : nullptr;
}

// SELECT generate_series(…), or the days of it.
List* rows_of_selected_series(const Query* query) {
  if (!takes_only(query, step::kSetFunctions) || query->jointree->fromlist != NIL ||
      query->jointree->quals != nullptr || list_length(query->targetList) != 1) {
    return NIL;
  }
  auto* value = as<Node>(static_cast<TargetEntry*>(linitial(query->targetList))->expr);
  const FuncExpr* cast = as_day(value);
  List* rows = rows_of_series(cast == nullptr ? value : static_cast<Node*>(linitial(cast->args)));
  for (auto* row : list<List>(cast == nullptr ? NIL : rows)) {
    linitial(row) = day_of(cast, static_cast<Const*>(linitial(row)));
  }
  return rows;
}

List* rows_of_list(const RangeTblEntry* entry) {
  if (entry->lateral) return NIL;
  switch (entry->rtekind) {
    case RTE_VALUES:
      return rows_of_values(entry);
    case RTE_FUNCTION:
      if (list_length(entry->functions) != 1 || entry->funcordinality) return NIL;
      return rows_of_series(static_cast<RangeTblFunction*>(linitial(entry->functions))->funcexpr);
    case RTE_SUBQUERY: {
      const Query* query = entry->subquery;
      const int values = only_entry(query);
      if (values == 0) return rows_of_selected_series(query);
      const bool is_list = takes_only(query, 0) && query->jointree->quals == nullptr &&
                           rt_fetch(values, query->rtable)->rtekind == RTE_VALUES;
      if (!is_list) return NIL;
      AttrNumber number = 0;
      for (const auto* target : list<TargetEntry>(query->targetList)) {
        const auto* column = maybe<Var>(as<Node>(target->expr));
        if (column == nullptr || column->varattno != ++number) return NIL;
      }
      return rows_of_values(rt_fetch(values, query->rtable));
    }
    default:
      return NIL;
  }
}

// --- what is asked ---

// A hidden table that a part of FROM reads; invalid if it reads none, or is computed for each row
// beside it.
Oid hidden_table_of(const Query* query, const Node* from) {
  Oid table = InvalidOid;
  for (const int number : ints(entries_read(from))) {
    const RangeTblEntry* entry = rt_fetch(number, query->rtable);
    if (entry->lateral) return InvalidOid;
    if (OidIsValid(table)) continue;
    if (entry->rtekind == RTE_RELATION && is_hidden(entry->relid)) table = entry->relid;
    if (entry->rtekind == RTE_SUBQUERY) {
      table = hidden_table_of(entry->subquery, as<Node>(entry->subquery->jointree));
    }
  }
  return table;
}

bool names_columns_of_joins(Query* query) {
  int number = 0;
  for (const auto* entry : list<RangeTblEntry>(query->rtable)) {
    ++number;
    if (entry->rtekind == RTE_JOIN && names_column_of(query, number)) return true;
  }
  return false;
}

// The leftmost entry of the joins that a query reads, where that may be a list, and others have
// hidden rows; 0 if there is none.
int leftmost_entry(Query* query) {
  constexpr unsigned kSteps =
      step::kAggregates | step::kGroups | step::kHaving | step::kLimit | step::kOffset;
  const bool is_plain = query->hasAggs && query->groupClause != NIL && takes_only(query, kSteps) &&
                        list_length(query->jointree->fromlist) == 1;
  const auto* from =
      is_plain ? static_cast<const Node*>(linitial(query->jointree->fromlist)) : nullptr;
  if (from == nullptr || !IsA(from, JoinExpr) || !OidIsValid(hidden_table_of(query, from)) ||
      names_columns_of_joins(query)) {
    return 0;
  }
  while (IsA(from, JoinExpr)) from = as<JoinExpr>(from)->larg;
  const int number = as<RangeTblRef>(from)->rtindex;
  return names_whole_row(query, number) ? 0 : number;
}

// The join of the list and all else; null if there is none.
JoinExpr* join_of_list(const Query* query, int list) {
  auto* join = maybe<JoinExpr>(static_cast<Node*>(linitial(query->jointree->fromlist)));
  const bool is_known = join != nullptr && IsA(join->larg, RangeTblRef) &&
                        as<RangeTblRef>(join->larg)->rtindex == list &&
                        (join->jointype == JOIN_LEFT || join->jointype == JOIN_INNER) &&
                        join->quals != nullptr && join->rtindex != 0;
  return is_known ? join : nullptr;
}

// Whether a condition says that a column of the list is equal to what is computed of columns that
// have keys, however many: date_trunc('month', at) = g.
bool equates_image(const Query* query, const Node* condition, int list) {
  const auto* comparison = as<OpExpr>(condition);
  if (!IsA(condition, OpExpr) || list_length(comparison->args) != 2) return false;
  for (const int i : {0, 1}) {
    const auto* column = maybe<Var>(static_cast<Node*>(list_nth(comparison->args, i)));
    auto* image = static_cast<Node*>(list_nth(comparison->args, 1 - i));
    if (column == nullptr || static_cast<int>(column->varno) != list ||
        !is_equality(comparison, as<Node>(column))) {
      continue;
    }
    UsedColumns used{entry_of_groups(query)};
    add_used_columns(&used, image);
    bool are_keys = used.columns != NIL;
    for (const auto* each : idp::list<Var>(used.columns)) {
      const KeyColumn* keys =
          static_cast<int>(each->varno) == list ? nullptr : key_of_column(query, each);
      are_keys &= keys != nullptr && keys->count() > 0;
    }
    if (are_keys) return true;
  }
  return false;
}

// Whether keys that everybody may know tell for which rows of the list the condition is true: by
// equality, or as there are few values of the columns that it names.
bool is_by_keys(const Query* query, const JoinExpr* join, int list) {
  int64 number = 1;
  bool compares = false;
  List* columns = NIL;
  for (auto* condition : idp::list<Node>(conjuncts(join->quals))) {
    UsedColumns used{entry_of_groups(query)};
    add_used_columns(&used, condition);
    bool names_list = false;
    List* others = NIL;
    for (auto* column : idp::list<Var>(used.columns)) {
      const bool is_of_list = static_cast<int>(column->varno) == list;
      names_list |= is_of_list;
      if (!is_of_list) others = lappend(others, column);
    }
    if (!names_list || equates_image(query, condition, list)) continue;
    Var* first = nullptr;
    Var* second = nullptr;
    compares |= !equates_columns(condition, &first, &second);
    columns = list_concat_unique(columns, others);
  }
  if (!compares) return true;
  for (const auto* column : idp::list<Var>(columns)) {
    const KeyColumn* keys = key_of_column(query, column);
    if (keys == nullptr || keys->count() == 0) return false;
    number *= keys->count();
    if (number > kMostKeys) return false;
  }
  return true;
}

// orders o JOIN (VALUES …) l ON … is (VALUES …) l JOIN orders o ON …
void put_list_first(const Query* query) {
  const List* from = query->jointree == nullptr ? NIL : query->jointree->fromlist;
  auto* join =
      list_length(from) == 1 ? maybe<JoinExpr>(static_cast<Node*>(linitial(from))) : nullptr;
  if (join == nullptr || join->jointype != JOIN_INNER || !IsA(join->rarg, RangeTblRef)) return;
  const int right = as<RangeTblRef>(join->rarg)->rtindex;
  const bool is_list = rows_of_list(rt_fetch(right, query->rtable)) != NIL;
  const bool has_list =
      IsA(join->larg, RangeTblRef) &&
      rows_of_list(rt_fetch(as<RangeTblRef>(join->larg)->rtindex, query->rtable)) != NIL;
  if (is_list && !has_list && join->quals != nullptr && !is_by_keys(query, join, right)) {
    std::swap(join->larg, join->rarg);
  }
}

// Whether a row of the list that finds none adds nothing to an aggregate.
bool find_count_of_absent(Node* node, void* entries) {
  if (node == nullptr) return false;
  if (!IsA(node, Aggref)) return walk_expression(node, find_count_of_absent, entries);
  const auto* call = as<Aggref>(node);
  auto* filter = as<Node>(call->aggfilter);
  if (filter != nullptr && tells_absent(filter, static_cast<Bitmapset*>(entries))) return false;
  if (call->args == NIL) return true;
  auto* argument = as<Node>(static_cast<const TargetEntry*>(linitial(call->args))->expr);
  return !is_null_of_absent(argument, static_cast<Bitmapset*>(entries));
}

// The key that a row of the list has: a column of it, or the day of one; null if it is another one.
Const* key_in_row(Node* key, int list, const List* row) {
  const FuncExpr* cast = as_day(key);
  const auto* column = maybe<Var>(cast != nullptr ? static_cast<Node*>(linitial(cast->args)) : key);
  const bool is_of_list = column != nullptr && static_cast<int>(column->varno) == list &&
                          column->varlevelsup == 0 && column->varattno > 0;
  if (!is_of_list) return nullptr;
  auto* value = static_cast<Const*>(list_nth(row, column->varattno - 1));
  return cast == nullptr ? value : day_of(cast, value);
}

bool is_same(const Const* a, const Const* b) {
  if (a->constisnull || b->constisnull) return a->constisnull && b->constisnull;
  return datumIsEqual(a->constvalue, b->constvalue, a->constbyval, a->constlen);
}

// Whether no two rows of the list have the same keys, and there are no others to group by.
bool have_own_keys(const Query* query, int list, const List* rows) {
  List* seen = NIL;  // of List of Const
  for (const auto* row : idp::list<List>(rows)) {
    List* keys = NIL;
    for (auto* key : idp::list<Node>(grouped_expressions(query))) {
      Const* value = key_in_row(key, list, row);
      if (value == nullptr ||
          !has_one_form(value->consttype, value->consttypmod, value->constcollid))
        return false;
      keys = lappend(keys, value);
    }
    for (const auto* other : idp::list<List>(seen)) {
      bool are_same = true;
      ListCell* one;
      ListCell* another;
      forboth(one, keys, another, other) {
        are_same &= is_same(static_cast<Const*>(lfirst(one)), static_cast<Const*>(lfirst(another)));
      }
      if (are_same) return false;
    }
    seen = lappend(seen, keys);
  }
  return true;
}

// --- the parts ---

// The query of a row of the list alone.
Query* of_row(Query* query, const JoinExpr* join, const List* row) {
  const int number = as<RangeTblRef>(join->larg)->rtindex;
  auto* alone = static_cast<Query*>(copyObjectImpl(query));
  List* values = NIL;
  for (auto* value : list<Const>(row)) {
    values = lappend(values, output(as<Node>(value), list_length(values) + 1, "value"));
  }
  alone->groupClause = NIL;
  alone = with_values(alone, number, values);
  const auto* joined = static_cast<JoinExpr*>(linitial(alone->jointree->fromlist));
  Node* where = make_and_qual(joined->quals, alone->jointree->quals);
  alone->jointree = makeFromExpr(list_make1(joined->rarg), where);
  forget_nulls_of(alone, join->rtindex);
  Bitmapset* gone = bms_make_singleton(number);
  drop_entries(alone, bms_add_member(gone, join->rtindex));
  show_all_unsorted(alone);
  return alone;
}

}  // namespace

void answer_listed_rows(Query* query) {
  put_list_first(query);
  const int number = leftmost_entry(query);
  const List* rows = number == 0 ? NIL : rows_of_list(rt_fetch(number, query->rtable));
  if (rows == NIL) return;
  move_joins_of_spine(query, [&](const Node* from) {
    return IsA(from, RangeTblRef) && as<RangeTblRef>(from)->rtindex == number;
  });
  const JoinExpr* join = join_of_list(query, number);
  if (join == nullptr || is_by_keys(query, join, number)) return;
  Bitmapset* absent = entries_of(join->rarg);
  const bool is_outer = join->jointype == JOIN_LEFT;
  if (is_outer && query->jointree->quals != nullptr) return;
  if (is_outer && (find_count_of_absent(as<Node>(query->targetList), absent) ||
                   find_count_of_absent(query->havingQual, absent))) {
    refuse_counts_of_list(hidden_table_of(query, join->rarg));
  }
  put_groups_in_place(query);
  if (!have_own_keys(query, number, rows)) {
    if (is_outer) refuse_groups_of_list(hidden_table_of(query, join->rarg));
    return;
  }
  List* parts = NIL;
  for (const auto* row : list<List>(rows)) parts = lappend(parts, of_row(query, join, row));
  read_answers_of(query, parts);
}

}  // namespace idp
