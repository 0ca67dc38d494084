// Rows that have no key, where a subquery groups by what it computes of a column with a domain:
//
//   SELECT m, count(*) FROM (SELECT DISTINCT customer, date_trunc('month', day) AS m FROM orders) o
//   GROUP BY m
//
// In groups of date_trunc('month', day) a row whose day is none of the domain is not counted. Nor
// is it here: the subquery leaves it out, as its groups show no days any more.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Has such subqueries, at whatever depth, leave out rows, for the keys of the query's groups.
void leave_out_rows_below(Query* query);

}  // namespace idp
