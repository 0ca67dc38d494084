// Which aggregations take rows in batches, and what their transitions take of each row.
#pragma once

#include "extension/pg/pg.h"

#include "extension/batch/fed_scan.h"

namespace idp {

// Whether an aggregation has one set of groups at most, hashed, and transitions that are all ours
// or count rows: they get rows as they come, in whichever order and however many at once.
bool can_take_batches(const AggState* node);

// Describes a transition but for its FILTER and where its value lies. value: the expression that it
// takes, over the rows below; unchanged if it takes none. False if its parameters are no constants.
bool describe_transition(const AggStatePerTransData& transition, FedTransition& fed, Node*& value);

}  // namespace idp
