// What an aggregate node groups by.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether a node answers for groups. Its strategy tells, not the number of its columns: the planner
// drops those that WHERE pins to one value, which may be all of GROUP BY.
bool has_groups(const Agg* plan);

// Whether the answers of the grouping set at work are those of several groups.
bool is_grouped(const AggState* node);

}  // namespace idp
