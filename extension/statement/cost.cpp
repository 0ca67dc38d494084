#include "extension/statement/cost.h"

#include "extension/budget/account.h"
#include "extension/budget/amount.h"
#include "extension/pg/nodes.h"
#include "extension/pg/sql_function.h"
#include "extension/pg/versions.h"

extern "C" {
#include "executor/executor.h"
#include "funcapi.h"
#include "tcop/tcopprot.h"
#include "utils/snapmgr.h"
}

namespace idp {

namespace {

// Tells a receiver of costs from others; a query that is never executed calls none of its
// functions.
void receive_nothing(DestReceiver*) {}

// A position in the text is none in the query that asks.
void point_into_text(void* text) {
  if (geterrcode() == ERRCODE_UNDEFINED_PARAMETER) {
    errhint("Write values in place of parameters.");
  }
  const int position = geterrposition();
  if (position <= 0) return;
  errposition(0);
  internalerrposition(position);
  internalerrquery(static_cast<const char*>(text));
}

[[noreturn]] void refuse_text() {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("idp.cost takes one SELECT that changes and locks nothing"),
                  errhint("Give the text of the query alone, without INTO, FOR UPDATE and "
                          "statements that change tables in WITH.")));
  pg_unreachable();
}

Query* query_in(const char* text) {
  List* statements = pg_parse_query(text);
  if (list_length(statements) != 1) refuse_text();
  auto* statement = linitial_node(RawStmt, statements);
  if (!IsA(statement->stmt, SelectStmt)) refuse_text();
  List* queries = analyze_and_rewrite(statement, text);
  if (list_length(queries) != 1) refuse_text();
  auto* query = static_cast<Query*>(linitial(queries));
  if (query->commandType != CMD_SELECT || query->hasModifyingCTE || query->rowMarks != NIL) {
    refuse_text();
  }
  return query;
}

PlannedStmt* plan_of(const char* text) { return plan_in_parallel(query_in(text), text); }

HeapTuple row_of_cost(const Cost& cost, TupleDesc columns) {
  Datum values[] = {ObjectIdGetDatum(cost.table), cost.epsilon, cost.delta, cost.reserved};
  bool nulls[] = {!OidIsValid(cost.table), false, false, false};
  return heap_form_tuple(columns, values, nulls);
}

// As rows, in the current memory context.
List* costs_of_text(const char* text, TupleDesc columns) {
  ErrorContextCallback context = {error_context_stack, point_into_text, const_cast<char*>(text)};
  error_context_stack = &context;
  PushActiveSnapshot(GetTransactionSnapshot());
  CostReceiver asked = {};
  asked.receiver.rDestroy = receive_nothing;
  asked.receiver.mydest = DestNone;
  QueryDesc* query = CreateQueryDesc(plan_of(text), text, GetActiveSnapshot(), InvalidSnapshot,
                                     &asked.receiver, nullptr, nullptr, 0);
  ExecutorStart(query, EXEC_FLAG_EXPLAIN_ONLY);
  List* rows = NIL;
  for (const auto* cost : list<Cost>(asked.costs)) {
    rows = lappend(rows, row_of_cost(*cost, columns));
  }
  ExecutorEnd(query);
  FreeQueryDesc(query);
  PopActiveSnapshot();
  error_context_stack = context.previous;
  return rows;
}

// (text): a set of (relation, epsilon, delta, reserved).
Datum cost(FunctionCallInfo fcinfo) {
  FuncCallContext* calls;
  if (SRF_IS_FIRSTCALL()) {
    calls = SRF_FIRSTCALL_INIT();
    const char* asked = TextDatumGetCString(PG_GETARG_DATUM(0));
    MemoryContext before = MemoryContextSwitchTo(calls->multi_call_memory_ctx);
    TupleDesc columns = nullptr;
    if (get_call_result_type(fcinfo, nullptr, &columns) != TYPEFUNC_COMPOSITE) {
      elog(ERROR, "idp.cost gives no rows");
    }
    columns = BlessTupleDesc(columns);
    calls->user_fctx = costs_of_text(asked, columns);
    (void)MemoryContextSwitchTo(before);
  }
  calls = SRF_PERCALL_SETUP();
  auto* rows = static_cast<List*>(calls->user_fctx);
  if (calls->call_cntr >= static_cast<uint64>(list_length(rows))) SRF_RETURN_DONE(calls);
  auto* row = static_cast<HeapTuple>(list_nth(rows, static_cast<int>(calls->call_cntr)));
  SRF_RETURN_NEXT(calls, HeapTupleGetDatum(row));
}

}  // namespace

CostReceiver* cost_receiver(const QueryDesc* query) {
  if (query->dest == nullptr || query->dest->rDestroy != receive_nothing) return nullptr;
  return reinterpret_cast<CostReceiver*>(query->dest);
}

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_cost, cost);

}  // extern "C"
#pragma GCC visibility pop
