// Rows that are compared with one answer, as WHERE amount > (SELECT avg(amount) FROM orders) does.
//
// What compares keys of groups, which everybody knows, is asked of groups (lift_conditions). Of the
// rest an answer stays one value, which is computed before rows are read
// (access/answered_values.h).
#pragma once

#include "extension/pg/pg.h"

#include "extension/domain/levels.h"

namespace idp {

// Whether it gives one row at most: LIMIT 1, or one group.
bool gives_one_row(const Query* query);

// amount > ANY (SELECT avg(amount) …), as a condition, is amount > (SELECT avg(amount) …) once
// more, where the level reads rows: over answers the planner would ask it of the rows below.
// Changes one level.
void compare_with_values(const QueryLevel& level);

}  // namespace idp
