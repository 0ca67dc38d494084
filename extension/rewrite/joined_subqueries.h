// Subqueries for each row of hidden tables, as object mappers and people write them, become joins:
//
//   (SELECT count(*) FROM orders o WHERE o.customer_id = c.id)
//
// is coalesce(a.answer, 0) beside
//
//   LEFT JOIN (SELECT customer_id AS key, count(*) AS answer FROM orders GROUP BY 1) a ON a.key =
//   c.id
//
// and (SELECT r.name FROM regions r WHERE r.id = c.region_id) is a.answer, where r.id is unique.
//
//   EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id GROUP BY o.customer_id HAVING …)
//
// is c.id = ANY (SELECT o.customer_id FROM orders o GROUP BY o.customer_id HAVING …).
//
// Each means the same for every row; what the joins give of persons, the check of inputs judges.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

void join_subqueries(Query* query);

}  // namespace idp
