// What two queries both give, or one of them alone, as a condition on the rows of one.
//
//   SELECT customer FROM orders WHERE … INTERSECT SELECT customer FROM orders WHERE …
//       SELECT DISTINCT customer FROM orders o WHERE … AND EXISTS (SELECT FROM orders p WHERE
//       p.customer = o.customer AND …)
//   SELECT id FROM customers EXCEPT SELECT customer FROM orders
//       SELECT DISTINCT id FROM customers c WHERE NOT EXISTS (SELECT FROM orders p WHERE p.customer
//       = c.id)
//
// Set operations take NULL for equal to NULL, conditions do not: one side of each column is never
// NULL. Of persons alone: others have many rows each, which are nobody's.
#pragma once

#include "extension/domain/levels.h"

namespace idp {

void choose_by_other_rows(const QueryLevel& level);

// The choices of a filter beside others, as dashboards fill a list:
//
//   SELECT 'all' UNION SELECT status FROM orders
//
// becomes SELECT 'all' UNION SELECT DISTINCT status FROM orders, which has the same rows.
void list_parts_of_union(Query* query);

}  // namespace idp
