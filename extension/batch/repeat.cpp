// Rows that come with how often they are there (extension/distribute/remote_rows.h), taken as often
// by the aggregation right above.

#include "extension/batch/repeat.h"

#include "extension/batch/push.h"
#include "extension/batch/transitions.h"
#include "extension/distribute/remote_rows.h"
#include "extension/pg/nodes.h"

extern "C" {
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
};

struct Repetition {
  Repeater repeater;
  AggState* aggregation;
  ExprContext* context;  // in which values of the row are computed
  RepeatedTransition* transitions;
  bool has_groups;
};

// The states of the group that the last row went to; null if it went to a file.
AggStatePerGroup states_of_last_row(const Repetition& repetition) {
  const AggState* node = repetition.aggregation;
  return repetition.has_groups ? node->hash_pergroup[0] : node->pergroups[0];
}

// A buffer full of the same value, as often as that takes.
void put_often(AggState* node, const FedTransition& fed, AggStatePerGroup group, Datum value,
               int64 times) {
  constexpr int64 kBatch = 512;
  Datum values[kBatch];
  for (int64 i = 0; i < Min(times, kBatch); ++i) values[i] = value;
  for (; times > 0; times -= kBatch) {
    CHECK_FOR_INTERRUPTS();
    put_values(node, fed, group, values, static_cast<int>(Min(times, kBatch)));
  }
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
  put_often(node, repeated.fed, states + repeated.fed.transition->aggref->aggtransno, value, more);
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
  if (value != nullptr) repeated.value = ExecInitExpr(as<Expr>(value), &node->ss.ps);
  if (filter != nullptr) repeated.filter = ExecInitQual(list_make1(filter), &node->ss.ps);
  return true;
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
  repetition->context = CreateExprContext(node->ss.ps.state);
  repetition->has_groups = as<Agg>(node->ss.ps.plan)->numCols > 0;
  set_repeater(rows, &repetition->repeater);
}

}  // namespace

void repeat_rows(AggState* node) {
  if (node->ss.ps.state->es_epq_active != nullptr || !can_take_batches(node)) return;
  repeat_of(node, outerPlanState(node));
}

}  // namespace idp
