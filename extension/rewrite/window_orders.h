// The order of rows that a window leaves open:
//
//   row_number() OVER (PARTITION BY customer ORDER BY day)
//
// gives rows of one day their numbers in any order, which may hang on rows of others. It becomes
//
//   row_number() OVER (PARTITION BY customer ORDER BY day, id)
//
// which is one of those orders. Functions for which rows of one day are peers stay as they are.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

void complete_window_orders(Query* query);

}  // namespace idp
