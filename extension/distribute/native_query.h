// Queries that have no private call, as was seen before another extension planned them: what Citus
// makes of one cannot be looked into.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/extensible.h"
#include "nodes/plannodes.h"
}

namespace idp {

// Whether nothing in a query can be a private call: no aggregate or function of ours, nor one of
// our states or of numbers of functions, which may call ours. Asked before planning.
bool is_native(Query* query);

// Notes that in the custom scans of its plan. It stays in copies.
void mark_native(PlannedStmt* plan);

bool is_marked_native(const CustomScan* scan);

}  // namespace idp
