// Rows that come with how often they are there (extension/distribute/remote_rows.h), taken as often
// by the aggregation right above.

#include "extension/batch/repeat.h"

#include "extension/batch/few_ranks.h"
#include "extension/batch/push.h"
#include "extension/batch/take.h"
#include "extension/batch/transitions.h"
#include "extension/call/bound_call.h"
#include "extension/distribute/remote_rows.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "access/sysattr.h"
#include "executor/executor.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
}

namespace idp {

namespace {

struct RepeatedTransition {
  FedTransition fed;
  ExprState* value;   // over the row below; or null
  ExprState* filter;  // likewise
  Var* column;        // what the value is, if it is a column of the row below
  int summed;         // the column of the table that is added up for it; or 0
  int sum;            // likewise: which of the sums
};

struct Repetition {
  Repeater repeater;
  AggState* aggregation;
  PlanState* rows;
  ExprContext* context;  // in which values of the row are computed
  RepeatedTransition* transitions;
  bool has_groups;
};

// The states of the group that the last row went to; null if it went to a file.
AggStatePerGroup states_of_last_row(const Repetition& repetition) {
  const AggState* node = repetition.aggregation;
  return repetition.has_groups ? node->hash_pergroup[0] : node->pergroups[0];
}

// A buffer full of the same value, then all others at once, or else as many buffers as that takes.
void put_often(AggState* node, const FedTransition& fed, AggStatePerGroup group, Datum value,
               int64 times) {
  constexpr int64 kBatch = 512;
  Datum values[kBatch];
  for (int64 i = 0; i < Min(times, kBatch); ++i) values[i] = value;
  const int64 most = fed.is_ours ? kBatch : PG_INT32_MAX;  // rows are counted without their values
  while (times > 0) {
    CHECK_FOR_INTERRUPTS();
    const int64 some = Min(times, most);
    put_values(node, fed, group, values, static_cast<int>(some));
    times -= some;
    if (times == 0 || !fed.is_ours) continue;
    times -= take_again(fed.transition->transfn_fcinfo, group->transValue, value, times);
  }
}

// The row had the least value of the column, or what stands for it.
void add_sum(const Repetition& repetition, const RepeatedTransition& repeated,
             AggStatePerGroup group, Datum first) {
  FunctionCallInfo function = repeated.fed.transition->transfn_fcinfo;
  const SummedColumn column = summed_column(repetition.rows, repeated.summed);
  Datum put[2] = {first, column.greatest};
  const int count = column.has_ends && column.count > 1 ? 2 : 1;
  if (count == 2) put_values(repetition.aggregation, repeated.fed, group, &column.greatest, 1);
  if (column.has_ends && column.count == count) return;
  take_sum(function, group->transValue, remote_sum(repetition.rows, repeated.sum),
           {put, static_cast<std::size_t>(count)});
}

void repeat_transition(const Repetition& repetition, const RepeatedTransition& repeated,
                       AggStatePerGroup states, int64 more) {
  AggState* node = repetition.aggregation;
  ExprContext* context = repetition.context;
  if (repeated.filter != nullptr && !ExecQual(repeated.filter, context)) return;
  bool is_null = false;
  const Datum value = repeated.value == nullptr
                          ? Datum{0}
                          : ExecEvalExprSwitchContext(repeated.value, context, &is_null);
  if (is_null) return;  // ours and the server's count leave it out
  node->curpertrans = repeated.fed.transition;
  MemoryContext before = MemoryContextSwitchTo(node->tmpcontext->ecxt_per_tuple_memory);
  AggStatePerGroup group = states + repeated.fed.transition->aggref->aggtransno;
  if (repeated.summed > 0) {
    add_sum(repetition, repeated, group, value);
  } else {
    put_often(node, repeated.fed, group, value, more);
  }
  MemoryContextSwitchTo(before);
}

bool repeat(int64 more, Repeater* repeater) {
  auto* repetition = reinterpret_cast<Repetition*>(repeater);
  AggState* node = repetition->aggregation;
  AggStatePerGroup states = states_of_last_row(*repetition);
  if (states == nullptr) return false;
  node->curaggcontext = repetition->has_groups ? node->hashcontext : node->aggcontexts[0];
  node->current_set = 0;
  repetition->context->ecxt_outertuple = node->tmpcontext->ecxt_outertuple;
  for (int i = 0; i < node->numtrans; ++i) {
    set_parameters(&repetition->transitions[i].fed, 1);
    repeat_transition(*repetition, repetition->transitions[i], states, more);
  }
  ResetExprContext(repetition->context);
  return true;
}

bool is_the_same_again(Node* expression) {
  return !contain_volatile_functions(expression) && !contain_subplans(expression);
}

bool prepare(AggState* node, const AggStatePerTransData& transition, RepeatedTransition& repeated) {
  Node* value = nullptr;
  auto* filter = as<Node>(transition.aggref->aggfilter);
  repeated.fed.transition = const_cast<AggStatePerTrans>(&transition);
  if (!describe_transition(transition, repeated.fed, value)) return false;
  if (!is_the_same_again(value) || !is_the_same_again(filter)) return false;
  repeated.column = value == nullptr ? nullptr : maybe<Var>(value);
  if (value != nullptr) repeated.value = ExecInitExpr(as<Expr>(value), &node->ss.ps);
  if (filter != nullptr) repeated.filter = ExecInitQual(list_make1(filter), &node->ss.ps);
  return true;
}

// --- columns that are added up where they lie ---

// The column of the table that an output of the rows is; 0 if it is more than that.
int table_column(const Repetition& repetition, AttrNumber output) {
  const List* targets = repetition.rows->plan->targetlist;
  const auto* column =
      maybe<Var>(static_cast<const TargetEntry*>(list_nth(targets, output - 1))->expr);
  return column == nullptr ? 0 : column->varattno;
}

bool is_sum(const Repetition& repetition, const RepeatedTransition& repeated) {
  if (!repeated.fed.is_ours || repeated.column == nullptr) return false;
  const BoundCall* call = find_bound_call(repetition.aggregation, repeated.fed.transition->aggref);
  if (call == nullptr || !call->has_request) return false;
  const Spec& spec = call->request.spec;
  if (collects(spec.statistic) != Collects::kMoments || spec.grid.is_wide()) return false;
  const MomentLayout layout = moment_layout(spec);
  return !layout.squares && layout.ends <= 1 && spec.grid.scale >= 0 && spec.grid.scale <= 18;
}

// The outputs that anything but such sums asks for.
Bitmapset* other_outputs(const Repetition& repetition) {
  const AggState* node = repetition.aggregation;
  const auto* plan = as<Agg>(node->ss.ps.plan);
  Bitmapset* others = nullptr;
  for (int i = 0; i < plan->numCols; ++i) {
    others = bms_add_member(others, plan->grpColIdx[i] - FirstLowInvalidHeapAttributeNumber);
  }
  for (const auto* target : list<TargetEntry>(plan->plan.targetlist)) {
    if (!IsA(target->expr, Aggref)) pull_varattnos(as<Node>(target->expr), OUTER_VAR, &others);
  }
  pull_varattnos(as<Node>(plan->plan.qual), OUTER_VAR, &others);
  for (int i = 0; i < node->numtrans; ++i) {
    const Aggref* call = node->pertrans[i].aggref;
    pull_varattnos(as<Node>(call->aggfilter), OUTER_VAR, &others);
    if (!is_sum(repetition, repetition.transitions[i])) {
      pull_varattnos(as<Node>(call->args), OUTER_VAR, &others);
    }
  }
  return others;
}

// Whether no output but those that sums alone ask for has anything of a column of the table.
bool is_in_sums_alone(const Repetition& repetition, int column, const Bitmapset* others) {
  const auto* scan = as<Scan>(repetition.rows->plan);
  for (const auto* target : list<TargetEntry>(scan->plan.targetlist)) {
    Bitmapset* named = nullptr;
    pull_varattnos(as<Node>(target->expr), scan->scanrelid, &named);
    const bool takes_row = bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, named);
    if (takes_row) return false;
    if (!bms_is_member(column - FirstLowInvalidHeapAttributeNumber, named)) continue;
    if (table_column(repetition, target->resno) != column) return false;
    if (bms_is_member(target->resno - FirstLowInvalidHeapAttributeNumber, others)) return false;
  }
  return true;
}

// A group that goes to a file has no state yet: so none may, and where groups are not those of a
// domain there may be many.
bool keeps_all_groups(AggState* node) {
  if (as<Agg>(node->ss.ps.plan)->numCols == 0) return true;
  if (!IsA(outerPlanState(node), AppendState)) return false;
  node->hash_mem_limit = SIZE_MAX;
  node->hash_ngroups_limit = PG_UINT64_MAX;
  return true;
}

// Has the other servers add up what nothing but sums asks for.
void sum_columns(Repetition& repetition) {
  const AggState* node = repetition.aggregation;
  const Bitmapset* others = other_outputs(repetition);
  List* sums = NIL;
  for (int i = 0; i < node->numtrans; ++i) {
    RepeatedTransition& repeated = repetition.transitions[i];
    if (!is_sum(repetition, repeated)) continue;
    const int column = table_column(repetition, repeated.column->varattno);
    if (column <= 0 || !is_in_sums_alone(repetition, column, others) ||
        !can_be_summed(repetition.rows, column)) {
      sums = NIL;
      break;
    }
    const Spec& spec =
        find_bound_call(repetition.aggregation, repeated.fed.transition->aggref)->request.spec;
    auto* sum = static_cast<RemoteSum*>(palloc(sizeof(RemoteSum)));
    *sum = {column, spec.grid, narrow(spec.lower), narrow(spec.upper),
            moment_layout(spec).ends > 0};
    repeated.sum = list_length(sums);
    repeated.summed = column;
    sums = lappend(sums, sum);
  }
  if (sums != NIL && keeps_all_groups(repetition.aggregation)) {
    add_up(repetition.rows, sums);
    return;
  }
  for (int i = 0; i < node->numtrans; ++i) repetition.transitions[i].summed = 0;
}

void repeat_of(AggState* node, PlanState* rows) {
  if (const auto* append = maybe<AppendState>(rows)) {
    for (int i = 0; i < append->as_nplans; ++i) repeat_of(node, append->appendplans[i]);
    return;
  }
  if (!is_remote_rows(rows) || !is_the_same_again(as<Node>(rows->plan->targetlist))) return;
  auto* repetition = static_cast<Repetition*>(palloc0(sizeof(Repetition)));
  const auto count = static_cast<Size>(node->numtrans);
  repetition->transitions =
      static_cast<RepeatedTransition*>(palloc0(sizeof(RepeatedTransition) * count));
  for (int i = 0; i < node->numtrans; ++i) {
    if (!prepare(node, node->pertrans[i], repetition->transitions[i])) return;
  }
  repetition->repeater.repeat = repeat;
  repetition->aggregation = node;
  repetition->rows = rows;
  repetition->context = CreateExprContext(node->ss.ps.state);
  repetition->has_groups = as<Agg>(node->ss.ps.plan)->numCols > 0;
  set_repeater(rows, &repetition->repeater);
  sum_columns(*repetition);
}

}  // namespace

void repeat_rows(AggState* node) {
  if (node->ss.ps.state->es_epq_active != nullptr || !can_take_batches(node)) return;
  repeat_of(node, outerPlanState(node));
  read_few_ranks(node);
}

}  // namespace idp
