// What the planner expected of hidden rows. It is printed of the plan that was made
// (debug_print_plan) and of the one that is executed (EXPLAIN, extensions that log plans). So all of
// it is 0 in both; the second, which may have been made for another role, is a copy.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "executor/execdesc.h"
}

namespace idp {

// When a plan was made for the current role: if it reads hidden tables.
void mask_new_plan(PlannedStmt* plan);

// Before the executor sets up a query that reads hidden tables, to explain it or to execute it: puts
// the copy in place.
void copy_plan(QueryDesc* query, bool explain);

// Afterwards: sets what was expected of a node of the copy to 0.
void mask_estimates(Plan* plan);

}  // namespace idp
