// What the planner expected of hidden rows. EXPLAIN, and extensions that log plans, print it of the
// plan that is executed: so that is a copy, in which all of it is 0.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "executor/execdesc.h"
}

namespace idp {

// Before the executor sets up a query that reads hidden tables, to explain it or to execute it: puts
// the copy in place.
void copy_plan(QueryDesc* query, bool explain);

// Afterwards: sets what was expected of a node of the copy to 0.
void mask_estimates(Plan* plan);

}  // namespace idp
