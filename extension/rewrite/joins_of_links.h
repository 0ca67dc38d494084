// Outer joins that keep what they would keep anyway.
//
//   SELECT c.region, count(*) FROM orders o LEFT JOIN customers c ON c.id = o.customer GROUP BY 1
//
// Each order has its customer, if orders are linked by that column: the join is an inner one, and
// there is no group of orders without a region.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Makes such joins of a level inner joins. They have the same rows.
void join_along_links(Query* query);

}  // namespace idp
