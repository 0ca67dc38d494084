// Bad arguments must fail before data is read. PostgreSQL calls an aggregate for the first time
// with its first row, which may never come: then `… FILTER (WHERE name = 'Bob')` with a wrong
// epsilon would fail or not depending on whether Bob is there. So the plan is walked once the
// executor has set it up, before it has read anything.
#include "extension/plan/executor_check.h"

#include "extension/pg/pg.h"

#include "extension/call/call.h"
#include "extension/plan/arguments.h"
#include "extension/call/functions.h"
#include "extension/distribute/shipped.h"
#include "extension/budget/statement.h"
#include "extension/state/storage.h"

extern "C" {
#include "access/parallel.h"
}

namespace idp {

namespace {

ExecutorStart_hook_type previous_executor_start = nullptr;

// PostgreSQL chooses an overload by the types of all arguments, and over a numeric column bounds in
// double precision lead to the one of double precision.
void note_cast_column(const Aggref* aggref) {
  const auto* column = static_cast<TargetEntry*>(linitial(aggref->args));
  if (IsParallelWorker() || !IsA(column->expr, FuncExpr)) return;
  const auto* cast = reinterpret_cast<FuncExpr*>(column->expr);
  if (cast->funcformat != COERCE_IMPLICIT_CAST || cast->funcresulttype != FLOAT8OID) return;
  if (getBaseType(exprType(static_cast<Node*>(linitial(cast->args)))) != NUMERICOID) return;
  ereport(NOTICE, (errmsg("%s is computed in double precision over a numeric column",
                          get_func_name(aggref->aggfnoid)),
                   errdetail("A bound is double precision, and the types of all arguments choose "
                             "the aggregate."),
                   errhint("Cast the bounds to numeric to have the column's type and digits.")));
}

void check_aggregate_node(AggState* node) {
  ListCell* cell;
  foreach (cell, node->aggs) {
    auto* aggref = static_cast<Aggref*>(lfirst(cell));
    const AggStatePerTransData& transition = node->pertrans[aggref->aggtransno];
    if (DO_AGGSPLIT_COMBINE(aggref->aggsplit)) {
      // Its first half is checked where it stands. A group without values asks it for the
      // arguments, so it must be found whatever groups there are.
      Plan* plan = node->ss.ps.plan;
      if (is_combine_function(transition.transfn.fn_addr)) (void)half_with_arguments(plan, aggref);
      continue;
    }
    const Statistic statistic = statistic_of(transition.transfn.fn_addr);
    if (statistic == Statistic::kNone) continue;
    const Call call = describe_call(statistic, transition.transfn_oid, aggref->args, &node->ss.ps);
    check_call(call, aggref->args, &node->ss.ps);
    if (call.column_arguments > 0) note_cast_column(aggref);
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
