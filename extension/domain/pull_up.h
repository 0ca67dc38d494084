// A query that reads nothing but a simple subquery, and that as one query: what tools write around
// a table, views and WITH included, is no reason for a query to have no keys.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// A copy of the query that reads the tables themselves; null if it reads anything but one subquery,
// view or CTE that only chooses rows and computes columns of tables and their joins, at whatever
// depth. It means the same, and asks for the same rights.
Query* flattened(const Query* query);

}  // namespace idp
