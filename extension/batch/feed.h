// A scan of a table that gives most of its rows to the aggregation above it without the executor's
// help: a page at a time, in columns, as batches of values for each of its transitions. To the
// aggregation it looks like a scan of few rows.
//
//   without groups   the first row goes its ordinary way, so that all is as it always is where the
//                    aggregation begins. Asked for the second, the scan takes all others
//   groups, hashed   a row whose group is not known yet goes its ordinary way, and what the
//                    aggregation found or made for it is remembered; the others are taken
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// What takes the place of the scan's part in the executor.
TupleTableSlot* next_row(PlanState* scan);

}  // namespace idp
