// How often a plan node is executed in one execution of its query, as far as the plan tells.
#pragma once

#include "extension/pg/pg.h"

#include "extension/plan/node_rules.h"

namespace idp {

enum class Execution { kNever, kOnce, kByEachProcess, kRepeated };

// Of a child of a node that is executed so often.
Execution execution_of_child(PlanState* node, const Child& child, Execution outer);

// Of an initial plan and of a subquery in an expression, likewise.
Execution execution_of_initial_plan(const PlanState* plan, Execution outer);
Execution execution_of_subquery(const SubPlanState* subquery, Execution outer);

// Whether a node gives no row, and executes nothing below it, whatever the data: LIMIT 0 and a
// condition that is constantly false, also by a parameter.
bool is_never_executed(PlanState* node);

// Whether LIMIT or OFFSET reads the value of an initial plan of its node: so does LIMIT 0 the one of
// its OFFSET, though the node executes nothing below it.
bool is_read_by_limit(const PlanState* node, const SubPlan* initial_plan);

}  // namespace idp
