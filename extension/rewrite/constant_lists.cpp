#include "extension/rewrite/constant_lists.h"

#include "extension/domain/session_zone.h"
#include "extension/pg/attempt.h"
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
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

#include <cctype>

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

// What a function gives, of constants: the days of a calendar, or the elements of an array or a
// text. Days and months of instants follow the zone of the session.
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
    case F_UNNEST_ANYARRAY:
    case F_REGEXP_SPLIT_TO_TABLE_TEXT_TEXT:
    case F_STRING_TO_TABLE_TEXT_TEXT:
    case F_JSON_ARRAY_ELEMENTS_TEXT:
    case F_JSONB_ARRAY_ELEMENTS_TEXT:
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
                         list_make1(makeConst(call->funcresulttype, -1, call->funccollid, length,
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

// SELECT generate_series(…) or its like, or the days of it.
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

// Of texts of digits, as ISO 8601 has them: which day it is, no setting says but the time zone.
bool says_day(const Const* value) {
  if (value->constisnull || value->consttype != TEXTOID) return false;
  const char* written = TextDatumGetCString(value->constvalue);
  constexpr char kForm[] = "0000-00-00";
  for (int i = 0; kForm[i] != '\0'; ++i) {
    if (kForm[i] == '0' ? isdigit(static_cast<unsigned char>(written[i])) == 0
                        : written[i] != kForm[i]) {
      return false;
    }
  }
  const char* rest = written + strlen(kForm);
  if (*rest == '\0') return true;
  if (*rest != 'T' && *rest != ' ') return false;
  const char* end = rest + 1 + strspn(rest + 1, "0123456789:.");
  return *end == '\0' || strcmp(end, "Z") == 0;
}

// The instant, or the day, that such a text is cast to.
Node* instant_of(CoerceViaIO* cast) {
  const auto* given = maybe<Const>(cast->arg);
  const bool is_known = given != nullptr && says_day(given) &&
                        (cast->resulttype == TIMESTAMPOID || cast->resulttype == DATEOID ||
                         cast->resulttype == TIMESTAMPTZOID);
  if (!is_known) return as<Node>(cast);
  if (cast->resulttype == TIMESTAMPTZOID) (void)zone_of_session();  // the plan holds for it alone
  Oid function, argument;
  getTypeInputInfo(cast->resulttype, &function, &argument);
  char* written = TextDatumGetCString(given->constvalue);
  struct Reading {
    Oid function, argument;
    char* written;
    Datum value;
  } reading{function, argument, written, 0};
  const auto read = [](void* given) {
    auto* one = static_cast<Reading*>(given);
    one->value = OidInputFunctionCall(one->function, one->written, one->argument, -1);
  };
  if (!succeeds(read, &reading)) return as<Node>(cast);  // there is no such day
  int16 length;
  bool by_value;
  get_typlenbyval(cast->resulttype, &length, &by_value);
  return as<Node>(
      makeConst(cast->resulttype, -1, InvalidOid, length, reading.value, false, by_value));
}

struct OfRow {
  int entry;
  const List* row;
};

Node* with_row(Node* node, void* context) {
  if (node == nullptr) return nullptr;
  const auto* of_row = static_cast<const OfRow*>(context);
  if (const FuncExpr* cast = as_day(node)) {
    auto* value = maybe<Const>(with_row(static_cast<Node*>(linitial(cast->args)), context));
    if (value != nullptr) return as<Node>(day_of(cast, value));
  }
  const auto* column = maybe<Var>(node);
  if (column != nullptr && static_cast<int>(column->varno) == of_row->entry) {
    return static_cast<Node*>(copyObjectImpl(list_nth(of_row->row, column->varattno - 1)));
  }
  Node* copy = map_expression(node, with_row, context);
  return IsA(copy, CoerceViaIO) ? instant_of(as<CoerceViaIO>(copy)) : copy;
}

// What a query computes of each row of the list that it reads.
List* rows_computed(const Query* query, int list) {
  const RangeTblEntry* entry = rt_fetch(list, query->rtable);
  if (!takes_only(query, 0) || query->jointree->quals != nullptr ||
      names_whole_row(const_cast<Query*>(query), list)) {
    return NIL;
  }
  List* computed = NIL;
  for (const auto* row : idp::list<List>(rows_of_list(entry))) {
    List* values = NIL;
    for (const auto* target : idp::list<TargetEntry>(query->targetList)) {
      Node* value = over_row(as<Node>(target->expr), list, row);
      if (value == nullptr || !IsA(value, Const)) return NIL;
      values = lappend(values, value);
    }
    computed = lappend(computed, values);
  }
  return computed;
}

}  // namespace

Node* over_row(Node* expression, int entry, const List* row) {
  OfRow of_row{entry, row};
  Node* value = with_row(expression, &of_row);
  return value == nullptr ? nullptr : folded(value);
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
      const int within = only_entry(entry->subquery);
      return within == 0 ? rows_of_selected_series(entry->subquery)
                         : rows_computed(entry->subquery, within);
    }
    default:
      return NIL;
  }
}

}  // namespace idp
