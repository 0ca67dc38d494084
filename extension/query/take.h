// Takes what a level asks from the planner, when its plan is made.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace idp {

// Of a level whose paths are known. NIL for one that the planner did not look at.
List* level_of(const PlannerInfo* root);

// Refuses a level that is read in so many ways that whoever looks at all of them takes too long.
void require_few_levels(const PlannerInfo* root);

}  // namespace idp
