// What a hidden table means to the planner.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace idp {

// Refuses a query that names idp.approved() itself (plan/gate.h), before it is changed.
void refuse_written_gate(Query* query);

// Called when the planner has looked up a table of a query. Row security does not see a table
// through a view that runs with the rights of its owner. So the gate is put before each scan of a
// hidden table, if no policy did: then conditions of the user that are not leakproof come after it,
// and the planner applies none of them to the statistics of the table. And the plan is made anew
// for another role.
void gate_relation(PlannerInfo* root, RelOptInfo* relation, Oid table);

// Whether the planner may look up statistics of an index. Those of hidden rows would tell of them,
// as those of their table would: by moving the settings of costs until another plan is chosen, how
// many rows have one value is read off exactly.
bool may_look_up_statistics(Oid index);

// The width of a column whose statistics it may not look up; 0 if it may.
int32 width_without_statistics(Oid table, AttrNumber column);

}  // namespace idp
