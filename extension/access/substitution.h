// Total twins in a plan: where a private aggregate reads hidden rows, every function that has a
// twin (twin_rows.h) makes room for it, so that no row can make the query fail. What is above the
// answers keeps its functions, and so does what depends on no row.
//
// What depends on no row is evaluated, and its value put in its place: settings that the query
// changes while it runs make no difference.
//
// When that is done: prepared_plan.h.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/plannodes.h"
}

namespace idp {

// Beside twins, also puts one form of the keys that are shown (total/one_form.h), and keeps the
// rows of other tables (kept_tables.h). Whether there is anything to settle.
bool put_twins(PlannedStmt* statement);

// state: one that evaluates.
void settle_inputs(PlannedStmt* statement, EState* state);

}  // namespace idp
