// Whether a plan is made of nodes that do what its query says.
#pragma once

#include "extension/pg/pg.h"

#include "extension/plan/problem.h"

namespace idp {

// Of a node and all below it: null if each is of a known kind. Nodes of other extensions, and
// indexes of theirs, may give rows that no rule for queries speaks of.
const Problem* problem_of_kinds(PlanState* node);

}  // namespace idp
