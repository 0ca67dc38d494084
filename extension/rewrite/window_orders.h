// The order of rows that a window leaves open:
//
//   row_number() OVER (PARTITION BY customer ORDER BY day)
//
// gives rows of one day their numbers in any order, which may hang on rows of others. It becomes
//
//   row_number() OVER (PARTITION BY customer ORDER BY day, id)
//
// which is one of those orders. Functions for which rows of one day are peers stay as they are.
// DISTINCT ON (customer) … ORDER BY customer, day leaves the same open, and is sorted likewise.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

void complete_orders(Query* query);

// Whether the window functions of a query, once that is done, give the same whenever its rows are
// read: none follows an order that is left open.
bool has_determined_windows(const Query* query);

// The same of the rows that DISTINCT ON keeps.
bool has_determined_first_rows(const Query* query);

}  // namespace idp
