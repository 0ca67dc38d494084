// Values that the start of a query fixes.
//
// The start decides what a query costs, which nodes of its plan run, and what may be computed over
// hidden rows. A node evaluates its expressions again, in each process and for each row, and what
// does not depend on rows may have changed by then: the settings that an immutable function reads
// all the same, by the session of a cursor or a function of the query; the depth of the stack. So
// the start evaluates it, and its value stands in the plan that is executed, as if it had been
// written there.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/plannodes.h"
}

namespace idp {

// Whether a plan holds an aggregate of the extension.
bool has_private_aggregates(const PlannedStmt* statement);

// Whether a walk of expressions finds something in any node of a plan.
bool finds_in_plan(PlannedStmt* statement, bool (*find)(Node*, void*));

// Settles (settled.h) what is certain (certain.h): what private aggregates read, and above them
// what decides which nodes run. The rest is evaluated where and when it ever was. state: one that
// evaluates.
void settle_certain(PlannedStmt* statement, EState* state);

// Whether a plan may have any: looks for it in all of its nodes.
bool has_certain(PlannedStmt* statement);

}  // namespace idp
