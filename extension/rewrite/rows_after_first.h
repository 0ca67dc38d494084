// The first day of a person is none after any day of hers: what cohorts compare holds of all rows.
//
//   WITH f AS (SELECT customer, date_trunc('month', min(day)) AS cohort FROM orders GROUP BY 1)
//   SELECT f.cohort, date_trunc('month', o.day), count(DISTINCT o.customer)
//   FROM orders o JOIN f ON f.customer = o.customer GROUP BY 1, 2
//
// has the same rows where date_trunc('month', o.day) >= f.cohort. Said as a condition it leaves out
// the keys of months before the cohort, in which nobody can be: else they are groups of 0, and the
// first of a cohort is one of them. Likewise of the last day, and of min() and max() as windows.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

void compare_with_first(Query* query);

}  // namespace idp
