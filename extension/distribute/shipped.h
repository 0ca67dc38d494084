// Private calls that are computed somewhere else: by another server, or by another extension.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether a node may compute private answers out of our sight: they would not be charged. Such are
//   - a foreign or custom scan that has a private call among its expressions, as postgres_fdw makes
//     one of a partition-wise aggregate over a foreign partition;
//   - a custom scan over no table and no plan of ours, as Citus and others make one of whole
//     queries: what it computes cannot be seen, unless the query was (native_query.h).
bool may_ship_calls(const Plan* plan);

// Reports an error if the query of such a node reads a protected table.
void refuse_shipped_calls(const Plan* plan, EState* state);

}  // namespace idp
