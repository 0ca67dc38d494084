#include "extension/batch/transitions.h"

#include "extension/call/functions.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "catalog/pg_aggregate.h"
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

bool counts_rows(const AggStatePerTransData& transition) {
  return transition.transfn_oid == F_INT8INC || transition.transfn_oid == F_INT8INC_ANY;
}

bool is_ours(const AggStatePerTransData& transition) {
  return statistic_of(transition.transfn.fn_addr) != Statistic::kNone;
}

// Whether a transition only ever gets rows as they come, and states as they are.
bool is_fit(const AggStatePerTransData& transition) {
  const Aggref* call = transition.aggref;
  if (call->aggorder != NIL || call->aggdistinct != NIL || call->aggkind != AGGKIND_NORMAL) {
    return false;
  }
  // without a state the server makes the first value one
  if (transition.initValueIsNull || !transition.transfn.fn_strict) return false;
  if (is_ours(transition)) return !transition.transtypeByVal;
  return counts_rows(transition) && transition.transtypeByVal;
}

}  // namespace

bool can_take_batches(const AggState* node) {
  const auto* plan = as<Agg>(node->ss.ps.plan);
  if (plan->aggstrategy != AGG_PLAIN && plan->aggstrategy != AGG_HASHED) return false;
  if ((plan->aggstrategy == AGG_HASHED) != (plan->numCols > 0)) return false;
  if (plan->groupingSets != NIL || plan->chain != NIL || plan->numCols > kMostKeys) return false;
  if (DO_AGGSPLIT_COMBINE(node->aggsplit) || node->numtrans == 0) return false;
  bool any = false;
  for (int i = 0; i < node->numtrans; ++i) {
    const AggStatePerTransData& transition = node->pertrans[i];
    if (!is_fit(transition)) return false;
    any = any || is_ours(transition);
  }
  return any;
}

bool describe_transition(const AggStatePerTransData& transition, FedTransition& fed, Node*& value) {
  const Aggref* call = transition.aggref;
  fed.is_ours = is_ours(transition);
  fed.has_value = fed.is_ours
                      ? row_of(statistic_of(transition.transfn.fn_addr)).columns != Columns::kNone
                      : transition.transfn_oid == F_INT8INC_ANY;
  const int count = list_length(call->args);
  if (transition.numTransInputs != count) return false;
  fed.parameters = static_cast<Datum*>(palloc0(sizeof(Datum) * static_cast<Size>(count + 1)));
  int place = 0;
  for (const auto* argument : list<TargetEntry>(call->args)) {
    if (place++ == 0 && fed.has_value) {
      value = as<Node>(argument->expr);
      continue;
    }
    const auto* constant = maybe<Const>(argument->expr);
    if (constant == nullptr || constant->constisnull) return false;
    fed.parameters[fed.parameter_count++] = constant->constvalue;
  }
  return true;
}

}  // namespace idp
