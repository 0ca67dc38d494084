// In how many ways the parts of a plan are reached. A CTE is planned once and read by each scan of
// it: there are 2^n ways through n CTEs each of which reads the one before twice, and whoever
// follows a plan from scan to scan takes so long.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whoever looks at every way takes at most so many.
constexpr int kMostWays = 1000;

[[noreturn]] void refuse_many_ways();

// Refuses a plan with private aggregates that has more.
void require_few_ways(const PlannedStmt* statement);

}  // namespace idp
