// The planner's side of PrivateAnswers: puts the node into a plan.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace idp {

// Called when the paths of one level's aggregation, or of that of a part, are known. If the level
// computes private answers about tables that somebody pays for, or under the names of releases, it
// gets one path instead: the node over the cheapest aggregation. What the query makes of answers
// (expressions, HAVING) moves from the aggregation to the node, above the line.
void put_in_answers(PlannerInfo* root, RelOptInfo* grouped);

// Whether answers of a level are given again when the same is asked (repeated.h): for all tables
// that it may read, as far as these are known yet.
bool may_repeat_answers(const PlannerInfo* root);

}  // namespace idp
