// Columns that subqueries compute, as what they are computed of.
//
//   SELECT m, dp_count(0.5) FROM (SELECT customer, date_trunc('month', day) AS m FROM orders) o
//   JOIN customers c ON c.id = o.customer GROUP BY m
//
// groups by an expression over a column of orders as well as if the expression stood in GROUP BY:
// the subquery, or view, gives that column too. Of a subquery that groups the columns are its keys
// and aggregates: date_trunc('month', min(day)) of each customer.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// A copy of the query with such expressions in place of columns; null if there are none.
Query* with_computed_columns(const Query* query);

// The number of the column of a query that is one that it reads, or an aggregate of its; added, as
// the last one that it shows, if there is none.
AttrNumber give_column(Query* query, const Node* column);

}  // namespace idp
