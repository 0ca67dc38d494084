#include "extension/access/kept_groups.h"

#include "extension/call/bound_call.h"
#include "extension/call/functions.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/statement_room.h"
#include "extension/plan/answers_plan.h"
#include "extension/plan/bind.h"
#include "extension/plan/plan_trace.h"
#include "extension/release/release_name.h"

namespace idp {

namespace {

// The half with arguments of a call of dp_keep_group; null if it is none.
const Aggref* decision_of(AggState* node, Aggref* aggref) {
  if (!answers_privately(node, aggref)) return nullptr;
  PlanNode place = plan_node(&node->ss.ps);
  const Aggref* half = half_with_arguments(place, aggref);
  FmgrInfo function;
  fmgr_info(transition_function_of(half->aggfnoid), &function);
  const Statistic statistic = statistic_of(function.fn_addr);
  return mechanism(statistic) == Mechanism::kSelection ? half : nullptr;
}

bool decides(AggState* node, Aggref* aggref) {
  const Aggref* decision = decision_of(node, aggref);
  return decision != nullptr && decision->aggfilter == nullptr && decision->aggdistinct == NIL;
}

}  // namespace

bool shows_kept_groups(AggState* node, const CustomScan* answers) {
  for (const int number : ints(deciding_columns(answers))) {
    const TargetEntry* column =
        column_shown(node->ss.ps.plan->targetlist, static_cast<AttrNumber>(number));
    if (decides(node, as<Aggref>(column->expr))) return true;
  }
  return false;
}

bool has_decision(AggState* node) {
  for (auto* aggregate : list<Aggref>(node->aggs)) {
    if (decision_of(node, aggregate) != nullptr) return true;
  }
  return false;
}

bool has_named_answer(AggState* node) {
  for (auto* aggregate : list<Aggref>(node->aggs)) {
    if (release_expression(node, aggregate) != nullptr) return true;
  }
  return false;
}

}  // namespace idp
