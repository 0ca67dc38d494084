#include "extension/access/kept_groups.h"

#include "extension/call/bound_call.h"
#include "extension/call/functions.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/plan/bind.h"
#include "extension/plan/plan_trace.h"
#include "extension/release/release_name.h"

namespace idp {

namespace {

bool decides(AggState* node, Aggref* aggref) {
  if (!answers_privately(node, aggref)) return false;
  PlanNode place = plan_node(&node->ss.ps);
  const Aggref* half = half_with_arguments(place, aggref);
  FmgrInfo function;
  fmgr_info(transition_function_of(half->aggfnoid), &function);
  return mechanism(statistic_of(function.fn_addr)) == Mechanism::kSelection &&
         half->aggfilter == nullptr && half->aggdistinct == NIL;
}

}  // namespace

bool shows_kept_groups(AggState* node) {
  ListCell* cell;
  foreach (cell, node->ss.ps.plan->qual) {
    auto* condition = static_cast<Node*>(lfirst(cell));
    if (!IsA(condition, Aggref)) return false;
    if (decides(node, reinterpret_cast<Aggref*>(condition))) return true;
  }
  return false;
}

bool has_named_answer(AggState* node) {
  ListCell* cell;
  foreach (cell, node->aggs) {
    if (release_expression(node, static_cast<Aggref*>(lfirst(cell))) != nullptr) return true;
  }
  return false;
}

}  // namespace idp
