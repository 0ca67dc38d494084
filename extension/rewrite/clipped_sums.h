// Sums and counts over rows of which a unit has several: each unit's part in all groups together is
// bounded, so that a number costs its epsilon once, however many rows there are.
//
//   SELECT status, count(*), sum(amount) FROM orders WHERE amount > 5 GROUP BY status
//
// becomes, where idp.link says max_rows => 20 and a domain says that amounts are from 0 to 2000,
//
//   SELECT status, dp_sum(a, ε, 0, 20), dp_sum(b, ε, 0, 40000)
//   FROM (SELECT status, idp.clip(1, 20) OVER unit AS a, idp.clip(amount, 40000) OVER unit AS b
//         FROM orders WHERE amount > 5 WINDOW unit AS (PARTITION BY customer)) rows_of_units
//   GROUP BY status
//
// and an average the quotient of such a sum and such a count. A condition of FILTER becomes one on
// the value. count(DISTINCT customer) is the sum of 1 for each customer and group, of which she has
// as many as rows or keys, whichever are fewer: it costs its epsilon once, as count(*) does. All
// rows are read: a unit above its bound counts in part (aggregate/clip.cpp).
#pragma once

#include "extension/pg/pg.h"

#include "extension/domain/levels.h"

namespace idp {

struct ClippedSums {
  Query* rows;      // which reads now what the level read; null if this was left as it was
  bool leaves_any;  // whether plain aggregates are left that are no such sums
};

// Puts them in place of the plain aggregates of a level of which that can be told. most: how many
// of the rows that the level reads one unit may have before its values are made smaller.
ClippedSums clip_sums(const QueryLevel& level, int64 most);

}  // namespace idp
