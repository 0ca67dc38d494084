#include "extension/plan/groups.h"

#include "extension/pg/nodes.h"

namespace idp {

bool has_groups(const Agg* plan) {
  return plan->aggstrategy != AGG_PLAIN || plan->groupingSets != NIL;
}

bool is_grouped(const AggState* node) {
  const auto* plan = as<Agg>(node->ss.ps.plan);
  if (plan->groupingSets == NIL) return has_groups(plan);
  return !bms_is_empty(node->phase->grouped_cols[node->current_set]);
}

}  // namespace idp
