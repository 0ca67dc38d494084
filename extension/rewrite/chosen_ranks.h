// Rows of a subquery that are chosen by their rank among those of their unit.
//
//   SELECT count(*)
//   FROM (SELECT *, row_number() OVER (PARTITION BY customer ORDER BY day, id) AS r FROM orders) o
//   WHERE r <= 3
//
// reads three rows of a unit at most, which are counted as they are. WHERE r > 1 leaves any number
// of them: what bounds these is what bounds them without it.
#pragma once

#include "extension/pg/pg.h"

#include "extension/domain/levels.h"

namespace idp {

// Whether a level reads so many rows of a unit from one of its entries, a subquery, as ranks below
// a constant say (query/windows.cpp).
bool bounds_by_rank(const QueryLevel& level, RangeTblEntry* entry);

}  // namespace idp
