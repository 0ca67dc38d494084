// Private aggregates over the rows of a table, read a page at a time: their answers are the same,
// and take less time. The plan keeps its shape.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "executor/nodeAgg.h"
}

namespace idp {

// Makes idp.batches known to the server. Once, when the library is loaded.
void define_batches();

// Has an aggregation of ours, if it can be, read the tables that it is right above in batches. When
// the executor has started, and the gates that will be opened are.
void read_in_batches(AggState* node);

}  // namespace idp
