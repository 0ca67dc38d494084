// The tables that lead from a linked one to its unit, where a query does not read them itself.
//
//   SELECT flag, count(*) FROM lines GROUP BY flag
//
// reads, where lines are linked to orders, and these to customers,
//
//   FROM lines JOIN orders ON orders.id = lines."order"
//
// which has the rows it had, and says whose they are. Whoever asks needs no right to orders: what
// they hold is not shown.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Joins the table that an entry of a query refers to by a link, a column of it to one of that; its
// number. The entry has a row wherever the query has one.
int join_parent(Query* query, int number, AttrNumber link, Oid parent, AttrNumber referenced);

}  // namespace idp
