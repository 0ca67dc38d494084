// Where a column of a plan node comes from: what the nodes below compute for it.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// The aggregate whose partial results a final half reads in the plan node `plan`, followed down
// through Gather, Sort, Append, joins (either side of them) and the like. plan becomes the node
// that computes it. Null if the results come from something else.
Aggref* partial_half(Plan*& plan, Aggref* final_half);

// The state of a plan node at or below a node; null if the executor has left it out.
PlanState* state_of_plan(PlanState* top, Plan* plan);

// The expression with each column that a node below computes, from something else than a column,
// replaced by that computation, as far as the rows come up unchanged. The planner computes an
// aggregate's argument below it, for example, in SELECT $1, idp_median(x, $1) … GROUP BY $1.
Node* pull_up_computations(Node* expression, Plan* plan);

// The expression with each column that a node below computes replaced by that computation, down to
// the columns of tables, following the first of several children. A column that cannot be followed
// stays.
Node* base_expression(Node* expression, PlanState* node);

}  // namespace idp
