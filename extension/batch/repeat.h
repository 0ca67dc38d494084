// Rows that come with how often they are there.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "executor/nodeAgg.h"
}

namespace idp {

// Has an aggregation of ours, if it can, take each row of the remote tables that it is right above
// as often as it is there, at once. When the executor has started.
void repeat_rows(AggState* node);

}  // namespace idp
