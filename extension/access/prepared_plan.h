// Plans of hidden tables, made ready to be executed: without estimates (estimates.h), with total
// twins (substitution.h), and with the values of what no row changes (plan/constants.h).
//
// The first two are done when the query is planned, for the role that plans it: plans that read
// tables with hidden rows are made for one role (planning.h), and the server makes them anew for
// another. So is the third where the values are known by then. What is left to each execution,
// parameters and functions of settings and of the time, is done to a copy of the plan, which others
// may execute. A copy has all of it done if the plan was made before the library was loaded, for a
// role that was exempt then, or by another extension.
//
// Nothing relies on its having been done: what is left is refused (approval.h).
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "executor/execdesc.h"
}

namespace idp {

// When a plan was made for the current role.
void prepare_new_plan(PlannedStmt* plan);

// Instead, when columns follow from parameters whose values were not given: the server
// prefers a plan for the values of each execution. If it has to execute this one it is refused.
void avoid_plan(PlannedStmt* plan);

// Before the executor sets up a query. Whether it reads tables that are hidden from the current
// role. flags: of the executor.
bool prepare_plan(QueryDesc* query, int flags);

// What is done to expressions of a query that the executor has set up: whether one of them has its
// value before the first row is read. Null if none has, as no rows are hidden.
bool (*settled_before(const EState* state))(Node*);

}  // namespace idp
