// The first of the rows that are tied to each row, as the last order of each customer:
//
//   (SELECT o.status FROM orders o WHERE o.customer_id = c.id ORDER BY o.ordered_at DESC LIMIT 1)
//
// is one of
//
//   SELECT DISTINCT ON (o.customer_id) o.status, o.customer_id FROM orders o
//   ORDER BY o.customer_id, o.ordered_at DESC
//
// the one whose customer_id is c.id. Where ORDER BY leaves the order open, the primary key decides
// (window_orders.h).
#pragma once

#include "extension/pg/pg.h"
#include "extension/rewrite/ties.h"

namespace idp {

// Whether a query gives the first row of what it reads, in an order, and does nothing else.
bool gives_first_row(const Query* query);

// Has such a query, whose tie was taken out of its conditions, give the first row for each value of
// the column of the tie, which is added to its columns. The number of that column.
AttrNumber give_first_of_each(Query* query, const Tie& tie);

// LATERAL (SELECT … ORDER BY … LIMIT 1), which rows of a level are joined to, as a join with these.
void join_first_rows(Query* query);

}  // namespace idp
