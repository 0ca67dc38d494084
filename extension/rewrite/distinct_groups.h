// DISTINCT where it means groups: of aggregates over windows that are the groups, and of the first
// row by what alone is shown.
//
//   SELECT DISTINCT status, count(*) OVER (PARTITION BY status) FROM orders
//       SELECT status, count(*) FROM orders GROUP BY status
//   SELECT DISTINCT ON (status) status FROM orders ORDER BY status
//       SELECT DISTINCT status FROM orders ORDER BY status
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

void group_distinct_rows(Query* query);

}  // namespace idp
