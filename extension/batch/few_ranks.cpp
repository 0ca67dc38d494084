#include "extension/batch/few_ranks.h"

#include "extension/batch/transitions.h"
#include "extension/call/bound_call.h"
#include "extension/distribute/rank_rows.h"
#include "extension/distribute/remote_rows.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "executor/execPartition.h"
}

namespace idp {

namespace {

// The request of a call of ours; null if it is not known yet.
const Spec* spec_of(AggState* node, const Aggref* aggref) {
  const BoundCall* call = find_bound_call(node, aggref);
  return call == nullptr || !call->has_request ? nullptr : &call->request.spec;
}

// The outputs of the rows below that transitions look at.
struct Looked {
  AttrNumber output;  // the one whose ranks matter; 0 if none is known yet
  WantedRanks wanted;
};

bool is_the_output(const Node* expression, Looked& looked) {
  const auto* column = maybe<Var>(expression);
  if (column == nullptr || column->varattno <= 0) return false;
  if (looked.output == 0) looked.output = column->varattno;
  return looked.output == column->varattno;
}

// A filter may look at whether the output is NULL, as that stays.
bool is_fit(const Node* filter, Looked& looked) {
  if (filter == nullptr) return true;
  const auto* test = maybe<NullTest>(filter);
  return test != nullptr && !test->argisrow && is_the_output(as<Node>(test->arg), looked);
}

// Whether a transition looks at ranks of one output, or counts rows, and those where that is NULL.
bool looks_at_ranks(AggState* node, const AggStatePerTransData& transition, const Spec** specs,
                    Looked& looked) {
  if (!is_fit(as<Node>(transition.aggref->aggfilter), looked)) return false;
  FedTransition fed = {};
  Node* value = nullptr;
  if (!describe_transition(transition, fed, value)) return false;
  if (!fed.has_value) return true;
  if (value == nullptr || !is_the_output(value, looked)) return false;
  if (!fed.is_ours) return true;
  const Spec* spec = spec_of(node, transition.aggref);
  if (spec == nullptr || !is_near_ranks(spec->statistic)) return false;
  specs[looked.wanted.count++] = spec;
  return true;
}

// Members that are left out while the plan runs would leave their rows out of the ranks.
List* members_of(PlanState* below) {
  const auto* append = maybe<AppendState>(below);
  if (append == nullptr) return list_make1(below);
  if (append->as_prune_state != nullptr && append->as_prune_state->do_exec_prune) return NIL;
  List* members = NIL;
  for (int i = 0; i < append->as_nplans; ++i) members = lappend(members, append->appendplans[i]);
  return members;
}

int column_of(const PlanState* rows, AttrNumber output) {
  const List* targets = rows->plan->targetlist;
  if (output > list_length(targets)) return 0;
  const auto* column =
      maybe<Var>(static_cast<const TargetEntry*>(list_nth(targets, output - 1))->expr);
  return column == nullptr ? 0 : column->varattno;
}

}  // namespace

void read_few_ranks(AggState* node) {
  if (as<Agg>(node->ss.ps.plan)->numCols > 0) return;
  Looked looked = {};
  auto** specs =
      static_cast<const Spec**>(palloc(sizeof(Spec*) * static_cast<Size>(node->numtrans)));
  looked.wanted.specs = specs;
  for (int i = 0; i < node->numtrans; ++i) {
    if (!looks_at_ranks(node, node->pertrans[i], specs, looked)) return;
  }
  if (looked.wanted.count == 0) return;
  List* members = members_of(outerPlanState(node));
  List* columns = NIL;
  for (const auto* member : list<PlanState>(members)) {
    const int column = is_remote_rows(member) ? column_of(member, looked.output) : 0;
    if (column <= 0) return;
    columns = lappend_int(columns, column);
  }
  if (members != NIL) read_near_ranks(members, columns, looked.wanted);
}

}  // namespace idp
