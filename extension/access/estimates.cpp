#include "extension/access/estimates.h"

extern "C" {
#include "jit/jit.h"
}

namespace idp {

void copy_plan(QueryDesc* query, bool explain) {
  auto* copy = static_cast<PlannedStmt*>(copyObjectImpl(query->plannedstmt));
  if (explain) copy->jitFlags = PGJIT_NONE;  // printed too; it follows from the costs
  query->plannedstmt = copy;
}

void mask_estimates(Plan* plan) {
  plan->startup_cost = 0;
  plan->total_cost = 0;
  plan->plan_rows = 0;
  plan->plan_width = 0;
}

}  // namespace idp
