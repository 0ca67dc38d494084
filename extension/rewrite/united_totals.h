// Counts and sums of what UNION ALL puts together, without a label that tells its parts apart, and
// nothing else beside them:
//
//   SELECT status, count(*), sum(amount) FROM (SELECT * FROM orders_2024 UNION ALL SELECT * FROM
//   orders_2025) o GROUP BY status
//
// are those of each part, added up:
//
//   SELECT status, sum(n), sum(s) FROM (SELECT status, count(*) AS n, sum(amount) AS s FROM
//   orders_2024 GROUP BY 1 UNION ALL SELECT status, count(*), sum(amount) FROM orders_2025 GROUP BY
//   1) o GROUP BY status
//
// Each part is then charged as it is by itself, and not as often as a person may have rows in all
// of them. Only where everybody may know the keys of each part.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

void add_up_parts(Query* query);

}  // namespace idp
