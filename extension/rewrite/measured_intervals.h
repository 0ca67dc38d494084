// Aggregates of how long something took:
//
//   SELECT avg(shipped_at - ordered_at) FROM orders
//
// is of seconds, which have bounds and a grid, as an interval again:
//
//   SELECT justify_hours(avg(extract(epoch FROM shipped_at - ordered_at)) * interval '1 second') …
//
// Differences of instants have no months, so that nothing of them is lost. An interval that is
// shown may have its whole days as hours in the plain answer; it is as long.
#pragma once

#include "extension/pg/pg.h"

#include "extension/domain/levels.h"

namespace idp {

// Writes plain aggregates of seconds in their place in what a level shows and asks of groups.
void measure_intervals(const QueryLevel& level);

}  // namespace idp
