// Private calls that are computed somewhere else: by another server, or by another extension.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "executor/execdesc.h"
}

namespace idp {

// Reports an error if a query that reads a protected table has a node that may compute private
// answers out of our sight: they would not be charged. Such are
//   - a foreign or custom scan that has a private call among its expressions, as postgres_fdw makes
//     one of a partition-wise aggregate over a foreign partition;
//   - a custom scan over no table and no plan of ours, as Citus and others make one of whole
//     queries: what it computes cannot be seen.
void refuse_shipped_calls(QueryDesc* query);

}  // namespace idp
