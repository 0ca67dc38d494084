// Bad arguments must fail before data is read. PostgreSQL calls an aggregate for the first time
// with its first row, which may never come: then `… FILTER (WHERE name = 'Bob')` with a wrong
// epsilon would fail or not depending on whether Bob is there. So the plan is walked once the
// executor has set it up, before it has read anything.
#include "extension/plan/executor_check.h"

#include "extension/pg/pg.h"

#include "extension/call/call.h"
#include "extension/distribute/shipped.h"
#include "extension/budget/statement.h"
#include "extension/state/storage.h"

extern "C" {
#include "access/parallel.h"
}

namespace idp {

namespace {

ExecutorStart_hook_type previous_executor_start = nullptr;

void check_aggregate_node(AggState* node) {
  ListCell* cell;
  foreach (cell, node->aggs) {
    auto* aggref = static_cast<Aggref*>(lfirst(cell));
    if (DO_AGGSPLIT_COMBINE(aggref->aggsplit)) continue;  // its first half has the arguments
    const AggStatePerTransData& transition = node->pertrans[aggref->aggtransno];
    const Statistic statistic = statistic_of(transition.transfn.fn_addr);
    if (statistic == Statistic::kNone) continue;
    const Call call = describe_call(statistic, transition.transfn_oid, aggref->args);
    check_call(call, aggref->args, &node->ss.ps);
    if (call.column.grid.type == ValueType::kText && !OidIsValid(aggref->inputcollid)) {
      // Comparing strings would fail as well, but with the first row only.
      ereport(ERROR, (errcode(ERRCODE_INDETERMINATE_COLLATION),
                      errmsg("could not determine which collation to use for string comparison"),
                      errhint("Use the COLLATE clause to set the collation explicitly.")));
    }
  }
}

bool check_walker(PlanState* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, AggState)) check_aggregate_node(reinterpret_cast<AggState*>(node));
  return walk_plan_states(node, check_walker, context);
}

void executor_start(QueryDesc* query, int flags) {
  if (previous_executor_start) {
    previous_executor_start(query, flags);
  } else {
    standard_ExecutorStart(query, flags);
  }
  refuse_shipped_calls(query);
  if (!has_private_aggregate(query)) return;
  MemoryContext before = MemoryContextSwitchTo(query->estate->es_query_cxt);
  check_walker(query->planstate, nullptr);
  begin_statement(query);
  if (query->plannedstmt->parallelModeNeeded && !IsParallelWorker()) {
    expect_travelling_files(query->estate);
  }
  MemoryContextSwitchTo(before);
}

}  // namespace

void install_executor_check() {
  previous_executor_start = ExecutorStart_hook;
  ExecutorStart_hook = executor_start;
}

}  // namespace idp
