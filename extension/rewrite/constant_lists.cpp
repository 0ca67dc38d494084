#include "extension/rewrite/constant_lists.h"

#include "extension/domain/session_zone.h"
#include "extension/pg/expression_kinds.h"
#include "extension/pg/fold.h"
#include "extension/pg/nodes.h"
#include "extension/pg/query_steps.h"
#include "extension/pg/outer_joins.h"
#include "extension/plan/used_columns.h"

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

}  // namespace

Const* day_of(const FuncExpr* cast, const Const* value) {
  if (value->constisnull) return nullptr;
  if (cast->funcid == F_DATE_TIMESTAMPTZ) (void)zone_of_session();
  const PGFunction day = cast->funcid == F_DATE_TIMESTAMPTZ ? timestamptz_date : timestamp_date;
  return makeConst(DATEOID, -1, InvalidOid, sizeof(DateADT),
                   DirectFunctionCall1(day, value->constvalue), false, true);
}

const FuncExpr* as_day(Node* value) {
  const auto* cast = maybe<FuncExpr>(value);
  const bool is_day =
      cast != nullptr && (cast->funcid == F_DATE_TIMESTAMPTZ || cast->funcid == F_DATE_TIMESTAMP);
  return is_day ? cast : nullptr;
}

namespace {

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

}  // namespace

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

}  // namespace idp
