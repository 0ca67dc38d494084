// Windows over groups, in a query around them:
//
//   SELECT date_trunc('month', day)::date, sum(count(*)) OVER (ORDER BY date_trunc('month', day))
//   FROM orders GROUP BY date_trunc('month', day)
//
// becomes SELECT key::date, sum(answer) OVER (ORDER BY key) FROM (SELECT … GROUP BY …). The planner
// takes an expression that holds a key of groups apart where there are windows, and computes it of
// a column of any row of the group, which is no key. Above the groups there are keys alone.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

// Changes the query where it has such an expression.
void compute_windows_above(Query* query);

}  // namespace idp
