// An aggregate of all rows of a subquery, beside each of them, as dplyr and analysts write it:
//
//   SELECT count(*) FROM (SELECT amount, avg(amount) OVER () AS mean FROM orders) o
//   WHERE amount > mean
//
// is an answer of its own, which rows are compared with:
//
//   SELECT count(*) FROM (SELECT amount, (SELECT avg(amount) FROM orders) AS mean FROM orders) o
//   WHERE amount > mean
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// In the queries within a query that read tables. Whether there was any.
bool answer_windows_of_all(Query* query);

}  // namespace idp
