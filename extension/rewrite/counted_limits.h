// Rows counted up to a limit, as object mappers do that page through them:
//
//   SELECT count(*) FROM (SELECT 1 FROM orders WHERE status = 'paid' LIMIT 1000) s
//
// is the lesser of the count of all rows and the limit:
//
//   SELECT LEAST(count(*), 1000) FROM (SELECT 1 FROM orders WHERE status = 'paid') s
//
// LIMIT and OFFSET may be parameters; what OFFSET leaves out is not counted.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

void count_up_to_limits(Query* query);

}  // namespace idp
