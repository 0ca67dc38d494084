#include "extension/access/open_gate.h"

#include "extension/pg/nodes.h"
#include "extension/pg/versions.h"
#include "extension/plan/gate.h"
#include "extension/state/running_query.h"

extern "C" {
#include "access/parallel.h"
#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "nodes/supportnodes.h"
}

namespace idp {

namespace {

bool open_below(PlanState* node, void* context) {
  open_gate(node);
  return walk_plan_states(node, open_below, context);
}

}  // namespace

void open_gate(PlanState* scan) {
  if (!has_gate(scan->plan)) return;
  List* others = conditions_besides_gates(scan->plan);
  if (kScansByConditions && others == NIL && IsA(scan, SeqScanState)) {
    others = list_make1(makeBoolConst(true, false));
  }
  scan->qual = ExecInitQual(others, scan);
  // of others nobody asks
  RunningQuery* query = IsParallelWorker() ? query_of(scan->state) : find_query(scan->state);
  if (query == nullptr) return;
  MemoryContext before = MemoryContextSwitchTo(scan->state->es_query_cxt);
  query->open_scans = lappend(query->open_scans, scan);
  MemoryContextSwitchTo(before);
}

void open_all_gates(PlanState* node) { (void)open_below(node, nullptr); }

namespace {

// Asked while a query of a hidden table is planned: by then this library is loaded, and its hooks
// in place, for that very query. The gate takes nothing of the rows, and no time.
Datum support(FunctionCallInfo fcinfo) {
  auto* request = as<Node>(PG_GETARG_POINTER(0));
  if (IsA(request, SupportRequestSelectivity)) {
    as<SupportRequestSelectivity>(request)->selectivity = 1;
    PG_RETURN_POINTER(request);
  }
  if (IsA(request, SupportRequestCost)) {
    auto* cost = as<SupportRequestCost>(request);
    cost->startup = 0;
    cost->per_tuple = 0;
    PG_RETURN_POINTER(request);
  }
  PG_RETURN_POINTER(nullptr);
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

PG_FUNCTION_INFO_V1(idp_approved_support);
Datum idp_approved_support(PG_FUNCTION_ARGS) { return idp::support(fcinfo); }

PG_FUNCTION_INFO_V1(idp_loaded);
Datum idp_loaded(PG_FUNCTION_ARGS) {
  (void)fcinfo;
  PG_RETURN_BOOL(true);
}

// Evaluated in a plan that was not approved only.
PG_FUNCTION_INFO_V1(idp_approved);
Datum idp_approved(PG_FUNCTION_ARGS) {
  (void)fcinfo;
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("rows of a table are hidden from role \"%s\"",
                         GetUserNameFromId(GetUserId(), false)),
                  errdetail("The query reads them in a way that was not approved."),
                  errhint("Ask for private aggregates of the table.")));
  pg_unreachable();
}

}  // extern "C"
#pragma GCC visibility pop
