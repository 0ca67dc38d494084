// The second lock of hidden tables: the walk of a plan before its first row is read.
//
// Every scan of a table that is hidden from the current role must lie below the input of a private
// aggregate, wherever in the plan it stands: in a subquery, a CTE, an initial plan, or what changes
// tables. The role counts that executes, whatever view or rule the table was reached through.
// Everything over its rows, up to that aggregate, must be total and silent (expressions.h). What
// the walk does not know is refused.
//
// It is made at each start of the executor: plans are kept, and roles change.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "executor/execdesc.h"
}

namespace idp {

// After the executor has set up a query, before anything is charged: opens its gates, or reports an
// error.
// of_worker: it is a worker's part of a plan that the leader has had approved.
void approve(QueryDesc* query, bool of_worker);

}  // namespace idp
