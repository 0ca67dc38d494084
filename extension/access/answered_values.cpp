#include "extension/access/answered_values.h"

#include "extension/access/expressions.h"
#include "extension/access/hidden.h"
#include "extension/budget/account.h"
#include "extension/pg/nodes.h"
#include "extension/pg/stable_functions.h"
#include "extension/plan/answers_plan.h"
#include "extension/plan/constants.h"
#include "extension/plan/node_rules.h"
#include "extension/state/running_query.h"

extern "C" {
#include "executor/nodeSubplan.h"
#include "utils/lsyscache.h"
}

namespace idp {

namespace {

bool is_protected(Oid table) {
  return is_hidden(table) || accounts_of_all(list_make1_oid(table)) != NIL;
}

// Such a function may read rows itself.
bool find_unstable(Node* node, void*) {
  if (node == nullptr) return false;
  return is_unstable_node(node) || walk_expression(node, find_unstable, nullptr);
}

bool calls_unstable(const PlanState* node) {
  const Plan* plan = node->plan;
  return find_unstable(as<Node>(plan->targetlist), nullptr) ||
         find_unstable(as<Node>(plan->qual), nullptr) ||
         find_unstable(as<Node>(further_expressions(plan, node->state->es_plannedstmt)), nullptr);
}

bool find_rows(PlanState* node, void*);

// In what is computed beside the answers of a node: the subqueries of its expressions.
bool find_rows_beside(const PlanState* node) {
  for (const List* plans : {node->initPlan, node->subPlan}) {
    for (const auto* subquery : list<SubPlanState>(plans)) {
      if (find_rows(subquery->planstate, nullptr)) return true;
    }
  }
  return false;
}

// Finds what reads rows of protected tables other than by private answers, or may do so; or hangs
// on what is read elsewhere too.
bool find_rows(PlanState* node, void*) {
  if (node == nullptr) return false;
  check_stack_depth();
  if (calls_unstable(node)) return true;
  if (is_answers(node->plan)) return find_rows_beside(node);
  const RowSource source = rule_of(node->plan).source;
  if (source == RowSource::kUnknown || IsA(node, CteScanState) || IsA(node, ModifyTableState)) {
    return true;
  }
  if (source == RowSource::kTable) {
    const Index number = as<Scan>(node->plan)->scanrelid;
    if (number == 0 || is_protected(exec_rt_fetch(number, node->state)->relid)) return true;
  }
  return walk_plan_states(node, find_rows, nullptr);
}

// Whether a parameter has the value of a subquery that hangs on no row of an outer query.
bool is_answered(const SubPlanState* subquery) {
  const SubPlan* plan = subquery->subplan;
  return plan->subLinkType == EXPR_SUBLINK && plan->parParam == NIL &&
         bms_is_empty(subquery->planstate->plan->extParam) &&
         !find_rows(subquery->planstate, nullptr);
}

// Whether it was computed, and how often, would tell whether rows came that were compared with it.
[[noreturn]] void refuse_late_value() {
  ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                  errmsg("hidden rows cannot be compared with a subquery whose value is not known "
                         "before they are read"),
                  errhint("Compute it first, and write the value.")));
  pg_unreachable();
}

SubPlanState* subquery_of(const EState* state, int number) {
  return static_cast<SubPlanState*>(state->es_param_exec_vals[number].execPlan);
}

// A value may lie elsewhere, in a table of the asker's that may change, or be gone: it is fetched
// now, and not when a row is compared with it. A long one would fail where it is put into rows.
void fetch(EState* state, int number) {
  ParamExecData& value = state->es_param_exec_vals[number];
  const Oid type = list_nth_oid(state->es_plannedstmt->paramExecTypes, number);
  if (value.isnull || !OidIsValid(type) || get_typlen(type) != -1) return;
  if (find_query(state)->reads_hidden_rows && is_long(type, {value.value, false})) {
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("hidden rows cannot be compared with a value of more than 256 kB"),
                    errhint("Give a shorter one.")));
  }
  const MemoryContext before = MemoryContextSwitchTo(state->es_query_cxt);
  value.value = PointerGetDatum(PG_DETOAST_DATUM_COPY(value.value));
  MemoryContextSwitchTo(before);
}

struct ParameterSearch {
  const RunningQuery* query;
  Bitmapset* numbers;
  List* ctes;  // whose plans were looked at
};

// A node names what is read in its own level; levels below it, as subqueries in FROM, name their
// own, and CTEs are read where their rows are, though they hang elsewhere.
bool add_parameters(PlanState* node, void* context) {
  if (node == nullptr) return false;
  check_stack_depth();
  auto* search = static_cast<ParameterSearch*>(context);
  // computed as a whole
  if (list_member_ptr(search->query->answered_plans, node)) return false;
  search->numbers = bms_add_members(search->numbers, node->plan->allParam);
  if (IsA(node, CteScanState)) {
    PlanState* cte = as<CteScanState>(node)->cteplanstate;
    if (!list_member_ptr(search->ctes, cte)) {
      search->ctes = lappend(search->ctes, cte);
      (void)add_parameters(cte, context);
    }
  }
  return walk_plan_states(node, add_parameters, context);
}

// Those of a node and of all that is below it, whichever level they belong to.
Bitmapset* parameters_below(PlanState* node) {
  ParameterSearch search{find_query(node->state), nullptr, NIL};
  (void)add_parameters(node, &search);
  return search.numbers;
}

}  // namespace

void note_answered_values(QueryDesc* query, bool of_worker) {
  EState* state = query->estate;
  const int count = list_length(query->plannedstmt->paramExecTypes);
  if (count == 0 || !has_private_aggregates(query->plannedstmt)) return;
  for (int number = 0; number < count; ++number) {
    const SubPlanState* subquery = subquery_of(state, number);
    if (subquery == nullptr ? !of_worker : !is_answered(subquery)) continue;
    RunningQuery* running = query_of(state);
    running->answered_values = bms_add_member(running->answered_values, number);
    if (subquery != nullptr) {
      running->answered_plans = lappend(running->answered_plans, subquery->planstate);
    }
  }
}

bool reads_answered_values(PlanState* node) {
  const Bitmapset* answered = answered_values_of(node->state);
  return answered != nullptr && bms_overlap(answered, parameters_below(node));
}

void compute_answered_values(PlanState* node) {
  EState* state = node->state;
  RunningQuery* query = find_query(state);
  const Bitmapset* read = parameters_below(node);
  int number = -1;
  while ((number = bms_next_member(read, number)) >= 0) {
    SubPlanState* subquery = subquery_of(state, number);
    if (subquery == nullptr) continue;
    // Answers in it may be over rows that are compared with it: then it is not known in time.
    const bool is_known = bms_is_member(number, query->answered_values) &&
                          !bms_is_member(number, query->computed_values);
    if (is_known) {
      const MemoryContext before = MemoryContextSwitchTo(state->es_query_cxt);
      query->computed_values = bms_add_member(query->computed_values, number);
      MemoryContextSwitchTo(before);
      ExecSetParamPlan(subquery, GetPerTupleExprContext(state));
      fetch(state, number);
      query->computed_values = bms_del_member(query->computed_values, number);
    } else if (query->reads_hidden_rows &&
               bms_is_subset(subquery->planstate->plan->extParam, node->plan->extParam)) {
      refuse_late_value();  // what hangs on rows below the node was looked at as they are
    }
  }
}

}  // namespace idp
