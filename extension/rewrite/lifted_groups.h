// How many of the finer groups a group of a level is made of, and what becomes of its expressions.
#pragma once

#include "extension/pg/pg.h"

#include "extension/rewrite/lift.h"

namespace idp {

// Whether a group of the level is one of the groups: what is lifted has one row for each.
bool has_group_for_each(Lift& lift);
// Then an expression of it is one over the groups. context: a Lift.
Node* of_one_group(Node* expression, void* context);

// Otherwise its aggregates are totals of theirs.
Node* of_groups(Node* expression, void* context);
// Whether a group of the level is made of one of the groups at most: it says all their keys.
bool is_of_one_at_most(const Lift& lift);

}  // namespace idp
