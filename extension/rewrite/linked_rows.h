// Columns that tell one row of a linked table: its unique key, and what refers to it by a link.
// What they agree on is of one unit, and there is no more of it than the table has rows of one.
//
//   SELECT avg(n) FROM (SELECT "order", count(*) AS n FROM lines GROUP BY "order") o
//
// is over groups of which a customer has as many as orders. They say whose they are by a key more,
// which follows from the one that they have:
//
//   SELECT "order", count(*) AS n, customer FROM lines JOIN orders ON id = "order" GROUP BY 1, 3
#pragma once

#include "extension/pg/pg.h"

#include "extension/domain/levels.h"

namespace idp {

// The linked table of which values of a column tell the row; invalid if they tell none. Columns
// that tell units do not.
Oid linked_table_told_by(const TableColumn& origin);
// How many such rows a unit may have, as the link of that table says; 0 if nobody said.
int64 most_rows_told_by(const TableColumn& origin);
// Whether a value is the same in all rows of a level that agree on a key, as this is a column of
// the linked table of which it tells the row: it is made of other columns of that, and of the
// unit's.
bool follows_from_row(const QueryLevel& level, Node* value, const Var* key);

// Has the first entry of a level that is a subquery over groups of such rows, or of a unit and
// something else, give their unit, if no other entry tells whose the rows of the level are.
void give_units_of_groups(const QueryLevel& level);

}  // namespace idp
