// Rows of a list that are compared with hidden rows by ranges, and not by keys that everybody may
// know: what is asked for each row of the list is asked by itself.
//
//   SELECT l.lo, count(o.id)
//   FROM (VALUES (0, 500), (500, 1000)) l(lo, hi) LEFT JOIN orders o ON o.amount >= l.lo AND
//   o.amount < l.hi GROUP BY l.lo
//
// has the rows of
//
//   SELECT 0 AS lo, count(o.id) FROM orders o WHERE o.amount >= 0 AND o.amount < 500
//   UNION ALL SELECT 500, count(o.id) FROM orders o WHERE o.amount >= 500 AND o.amount < 1000
//
// So are those that were active on each day of a calendar: s.started <= d AND s.ended > d. Each row
// of the list is a number, charged and kept as it is by itself. Where a single column with keys is
// compared, a calendar is asked for all of it at once (lift_conditions.cpp): but not for what adds
// up over no keys, where rows of the list share rows, as count(DISTINCT customer) of the last seven
// days of each day.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

void answer_listed_rows(Query* query);

// The same of a calendar that is asked for in no other way, or of a list that is joined to rows
// which have groups of their own, and not everybody may know their keys. Whether it is: the parts
// are still to be simplified.
bool answer_calendar_by_rows(Query* query);

// SELECT d, (SELECT count(*) FROM orders o WHERE o.day BETWEEN d - 6 AND d) FROM generate_series(…)
// d: likewise.
void answer_beside_listed_rows(Query* query);

}  // namespace idp
