// Aggregations that look at the values of one column near a few ranks, and at nothing else.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "executor/nodeAgg.h"
}

namespace idp {

// Has the remote tables that such an aggregation is right above give rows that are the same to it
// (extension/distribute/rank_rows.h). When the executor has started.
void read_few_ranks(AggState* node);

}  // namespace idp
