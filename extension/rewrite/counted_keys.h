// Groups by how many rows each unit has:
//
//   SELECT n, count(*) FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer) o GROUP
//   BY n
//
// There are least(count(*), 20) of them, where idp.link says max_rows => 20: a unit that has more
// counts as one that has so many, and all numbers up to that are keys. So it is of row_number()
// over the rows of each.
#pragma once

#include "extension/domain/levels.h"

namespace idp {

// In the subqueries that the level reads, for columns that its keys are made of, and in these.
void bound_counted_keys(const QueryLevel& level);

}  // namespace idp
