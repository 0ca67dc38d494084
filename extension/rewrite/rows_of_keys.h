// Keys that a tool finds by outer joins, and the rows by them, as Cube writes it:
//
//   SELECT k.name, sum(o.amount)
//   FROM (SELECT DISTINCT r.name, o.id FROM regions r LEFT JOIN customers c ON c.region = r.id
//         LEFT JOIN orders o ON o.customer = c.id) k LEFT JOIN orders o ON o.id = k.id GROUP BY 1
//
// A region without orders adds nothing to sums of these: they are those of inner joins. What has
// the same rows then is read once (same_rows.h).
#pragma once

#include "extension/pg/pg.h"

namespace idp {

void join_rows_of_keys(Query* query);

}  // namespace idp
