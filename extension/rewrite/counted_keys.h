// Groups by how many rows each unit has:
//
//   SELECT n, count(*) FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer) o GROUP
//   BY n
//
// There are least(count(*), 20) of them, where idp.link says max_rows => 20: a unit that has more
// counts as one that has so many, and all numbers up to that are keys. So it is of row_number()
// over the rows of each.
//
// Bins of what the rows of each unit add up to, or are on average,
//
//   SELECT floor(total / 100) * 100, count(*) FROM (SELECT customer, sum(amount) AS total FROM
//   orders GROUP BY customer) o GROUP BY 1
//
// are those of least(greatest(total, 0), 20 * 2000), where a domain says that amounts are from 0 to
// 2000: in a key alone, total stays what it is elsewhere.
#pragma once

#include "extension/domain/levels.h"

namespace idp {

// In the subqueries that the level reads, for columns that its keys are made of, and in these.
void bound_counted_keys(const QueryLevel& level);

}  // namespace idp
