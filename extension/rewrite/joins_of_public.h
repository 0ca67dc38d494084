// Hidden rows that are joined to a table which everybody may know are joined to each other first:
//
//   regions r LEFT JOIN customers c ON c.region_id = r.id LEFT JOIN orders o ON o.customer_id =
//   c.id
//
// has the rows of
//
//   regions r LEFT JOIN (customers c LEFT JOIN orders o ON o.customer_id = c.id)
//   ON c.region_id = r.id
//
// as the last condition is not true of a region without customers. Then one join keeps the regions,
// and their groups are public. So do hidden rows that other hidden rows are joined to:
//
//   customers c LEFT JOIN orders o ON o.customer_id = c.id LEFT JOIN lines l ON l.order_id = o.id
//
// has those of customers c LEFT JOIN (orders o LEFT JOIN lines l ON …) ON …, where both joins are
// along links: an order that an outer join put NULL in place of tells nobody's lines.
#pragma once

#include "extension/domain/levels.h"

namespace idp {

void join_hidden_first(const QueryLevel& level);

}  // namespace idp
