// Total twins in a plan: where a private aggregate reads hidden rows, every function that has a
// twin (twin_rows.h) makes room for it, so that no row can make the query fail.
//
// It is done to the copy of the plan that is executed, at each start of the executor: the plan that
// is kept, which others may execute, has the originals. What is above the answers keeps them too,
// and so does what depends on no row. Nothing relies on its having been done: what is left is
// refused (expressions.h).
//
// What depends on no row is evaluated, and its value put in its place: settings that the query
// changes while it runs make no difference.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/plannodes.h"
}

namespace idp {

// Also sorts the groups of private aggregates (group_order.h). state: one that evaluates; null for
// a query that is only explained.
void substitute(PlannedStmt* statement, EState* state);

}  // namespace idp
