#include "extension/statement/cost.h"

#include "extension/access/hidden.h"
#include "extension/budget/account.h"
#include "extension/budget/amount.h"
#include "extension/pg/nodes.h"
#include "extension/pg/sql_function.h"
#include "extension/pg/versions.h"
#include "extension/pg/asked_text.h"
#include "extension/state/running_query.h"

extern "C" {
#include "executor/executor.h"
#include "funcapi.h"
#include "tcop/tcopprot.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
}

namespace idp {

namespace {

// Tells a receiver of costs from others; a query that is never executed calls none of its
// functions.
void receive_nothing(DestReceiver*) {}

PlannedStmt* plan_of(const char* text) {
  return plan_in_parallel(query_in_text(text, "idp.cost"), text);
}

// To a role that sees the rows a query costs nothing, and hides nothing: it must not be taken for a
// private answer that is free.
void tell_of_plain_rows(const QueryDesc* query) {
  const RunningQuery* running = find_query(query->estate);
  if (running != nullptr && running->calls != NIL) return;
  for (const auto* entry : list<RangeTblEntry>(query->plannedstmt->rtable)) {
    if (entry->rtekind != RTE_RELATION || is_hidden(entry->relid)) continue;
    if (accounts_of(entry->relid) == NIL) continue;
    ereport(NOTICE,
            (errmsg("the query costs nothing, because it reads rows of table \"%s\" as they are",
                    get_rel_name(entry->relid)),
             errdetail("Role \"%s\" may see them. What the query returns is not private.",
                       GetUserNameFromId(GetUserId(), false)),
             errhint("idp.cost(query, true) shows the cost to a role that may not.")));
    return;
  }
}

HeapTuple row_of_cost(const Cost& cost, TupleDesc columns) {
  Datum values[] = {ObjectIdGetDatum(cost.table), cost.epsilon, cost.delta, cost.reserved};
  bool nulls[] = {!OidIsValid(cost.table), false, false, false};
  return heap_form_tuple(columns, values, nulls);
}

// As rows, in the current memory context.
List* costs_of_text(const char* text, TupleDesc columns) {
  List* rows = NIL;
  with_text_of_errors(text, [&] {
    PushActiveSnapshot(GetTransactionSnapshot());
    CostReceiver asked = {};
    asked.receiver.rDestroy = receive_nothing;
    asked.receiver.mydest = DestNone;
    QueryDesc* query = CreateQueryDesc(plan_of(text), text, GetActiveSnapshot(), InvalidSnapshot,
                                       &asked.receiver, nullptr, nullptr, 0);
    ExecutorStart(query, EXEC_FLAG_EXPLAIN_ONLY);
    if (asked.costs == NIL) tell_of_plain_rows(query);
    for (const auto* cost : list<Cost>(asked.costs)) {
      rows = lappend(rows, row_of_cost(*cost, columns));
    }
    ExecutorEnd(query);
    FreeQueryDesc(query);
    PopActiveSnapshot();
  });
  return rows;
}

// (text, whether to a role that does not see the rows): a set of (relation, epsilon, delta,
// reserved).
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
    const auto find_costs = [&] { calls->user_fctx = costs_of_text(asked, columns); };
    if (PG_NARGS() > 1 && PG_GETARG_BOOL(1)) {
      as_others_see(find_costs);
    } else {
      find_costs();
    }
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
