// A table that is joined by its key to a subquery that computes windows of its rows has the rows of
// the subquery:
//
//   SELECT w.n = 1, sum(o.amount) FROM orders o
//   JOIN (SELECT id, row_number() OVER (PARTITION BY customer ORDER BY day) AS n FROM orders) w
//   ON w.id = o.id GROUP BY 1
//
// reads (SELECT id, amount, row_number() OVER (…) AS n FROM orders) alone.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

void read_windows_of_rows(Query* query);

}  // namespace idp
