// Takes what a level asks from the planner, when its plan is made.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace idp {

// Of a level whose paths are known. NIL for one that the planner did not look at.
List* level_of(const PlannerInfo* root);

}  // namespace idp
