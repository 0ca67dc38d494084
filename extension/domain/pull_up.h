// Subqueries that only choose rows and compute columns: what tools write around a table, views and
// WITH included, is no reason for a query to have no keys, or another answer.
//
//   SELECT m, count(DISTINCT customer)
//   FROM (SELECT customer, date_trunc('month', day) AS m FROM orders) o GROUP BY m
//
// means and becomes
//
//   SELECT date_trunc('month', day), count(DISTINCT customer) FROM orders GROUP BY 1
//
// So does a row of values beside others: FROM orders, (SELECT now() - interval '30 days' AS since) p
// WHERE at >= p.since.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Has a query read the tables of such subqueries, views and CTEs in its FROM, at whatever depth,
// where no outer join may have NULL in place of their rows. It means the same, and asks for the
// same rights. Whether there were any.
bool pull_up_rows(Query* query);

// A copy of the query of which that is done; null if there is nothing to do.
Query* flattened(const Query* query);

}  // namespace idp
