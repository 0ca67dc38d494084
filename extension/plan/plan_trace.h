// Where a column of a plan node comes from: what the nodes below compute for it.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// A node of the plan of a statement.
struct PlanNode {
  Plan* plan;
  const List* subplans;  // of the statement: CTEs are among them
};
PlanNode plan_node(const PlanState* state);

// The aggregate whose partial results a final half reads in a node, followed down through Gather,
// Sort, Append, joins (either side of them) and the like. The node becomes the one that computes
// it. Null if the results come from something else.
Aggref* partial_half(PlanNode& node, Aggref* final_half);

// The expression with each column that a node below computes, from something else than a column,
// replaced by that computation, as far as the rows come up unchanged. The planner computes an
// aggregate's argument below it, for example, in SELECT $1, idp_median(x, $1) … GROUP BY $1.
Node* pull_up_computations(Node* expression, const PlanNode& node);

// The expression with each column that a node below computes replaced by that computation, down to
// the columns of tables, following the first of several children. A column that cannot be followed
// stays.
Node* base_expression(Node* expression, const PlanNode& node);

}  // namespace idp
