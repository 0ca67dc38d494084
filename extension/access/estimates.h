// What the planner expected of hidden rows. It is printed of the plan that was made
// (debug_print_plan) and of the one that is executed (EXPLAIN, extensions that log plans). So
// neither holds any of it.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/plannodes.h"
}

namespace idp {

// table: a hidden one that the plan reads, for a message.
void mask_estimates(PlannedStmt* plan, Oid table);

}  // namespace idp
