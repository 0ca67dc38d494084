// What a plan never executes, whatever the data.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether a node gives no row, and executes nothing below it, whatever the data: LIMIT 0 and a
// condition that is constantly false, also by a parameter.
bool is_never_executed(PlanState* node);

// Whether LIMIT or OFFSET reads the value of an initial plan of its node: so does LIMIT 0 the one of
// its OFFSET, though the node executes nothing below it.
bool is_read_by_limit(const PlanState* node, const SubPlan* initial_plan);

}  // namespace idp
