// Sums of floating-point numbers for each unit, which are added up as numeric: the last digits of a
// sum of floats depend on the order of its rows, and that on rows of others.
//
//   SELECT customer, sum(price) FROM orders GROUP BY customer
//
// becomes sum(price::numeric)::float8. Averages, deviations and variances likewise.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

// Of the aggregates in what the query shows and asks of groups.
void add_up_exactly(Query* query);

}  // namespace idp
