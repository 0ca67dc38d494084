// One row for each unit and group, before what units add is bounded: fewer rows to sort.
//
//   SELECT status, idp.clip(amount, 40000) OVER unit FROM orders WINDOW unit AS (PARTITION BY
//   customer)
//
// becomes
//
//   SELECT status, idp.clip(s, 40000) OVER unit
//   FROM (SELECT status, customer, sum(amount::numeric(10, 4)) AS s FROM orders GROUP BY status,
//   customer) o WINDOW unit AS (PARTITION BY customer)
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether the columns that rows have beside calls of idp.clip are keys of groups, so that rows of a
// unit that agree on them can be added up. computes: also keys that are computed, of which somebody
// else sees to it that everybody may know them still.
bool can_group(const Query* rows, const List* keys, bool computes);

// The query that reads one row for each unit and group from the rows, which are grouped from now
// on. unit: the column that tells whose they are. found: the numbers of columns of which it gives
// the sums as they are.
Query* group_by_unit(Query* rows, Var* unit, const Bitmapset* found);

// Gives the rows one window, with a partition for each unit, over which idp.clip is called.
void partition_by(Query* rows, Var* unit);

}  // namespace idp
