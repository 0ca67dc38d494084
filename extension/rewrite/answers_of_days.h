// What is counted of hidden rows for each row of a calendar, or of a list, by a key that everybody
// may know:
//
//   SELECT d, (SELECT count(*) FROM orders o WHERE o.at::date = d) FROM generate_series(…) d
//
// is asked once, by that key, however long the calendar is, and read for each row of it:
//
//   WITH a AS (SELECT o.at::date AS key, count(*) AS n FROM orders o GROUP BY 1)
//   SELECT d, coalesce((SELECT n FROM a WHERE key = d), 0) FROM generate_series(…) d
//
// Else each row of it would be a question of its own (listed_rows.h).
#pragma once

#include "extension/pg/pg.h"

namespace idp {

void count_by_days(Query* query);

}  // namespace idp
