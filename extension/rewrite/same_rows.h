// A join back to the table that a row is of, by its key, finds that row: semantic layers choose
// keys in a subquery, and read the rows by them.
//
//   FROM (SELECT c.segment, o.id FROM orders o LEFT JOIN customers c …) k LEFT JOIN orders r ON
//   r.id = k.id
//
// gives the rows of orders once, with the columns of r being those of o.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

// Whether all rows of an entry are read, but for the gate of its table.
bool reads_whole_table(const RangeTblEntry* entry);

// Takes such joins out of FROM.
void read_rows_once(Query* query);

}  // namespace idp
