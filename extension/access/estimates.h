// What the planner expected of hidden rows. It is printed of the plan that was made
// (debug_print_plan) and of the one that is executed (EXPLAIN, extensions that log plans). So
// neither holds any of it; the second, which may have been made for another role, is a copy.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "executor/execdesc.h"
}

namespace idp {

// When a plan was made for the current role: if it reads hidden tables.
void mask_new_plan(PlannedStmt* plan);

// Before the executor sets up a query that reads such a table, to explain it or to execute it: puts
// a copy in place.
void mask_copy_of_plan(QueryDesc* query, Oid table);

}  // namespace idp
