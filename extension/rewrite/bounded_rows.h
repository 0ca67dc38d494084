// So many rows of each unit: what plain aggregates read of a linked table.
//
//   SELECT count(*) FROM orders
//
// reads, where idp.link says max_rows => 20,
//
//   SELECT count(*)
//   FROM (SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY customer
//                                                     ORDER BY md5(id::text), id) FROM orders) o
//         WHERE row_number <= 20) orders
//
// The rows are chosen by the primary key alone, so that the choice hangs on nothing that is asked
// about, and is the same for all questions.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// How many rows of a unit some queries read together, as the bounds of linked tables say; 0 if one
// has none, or there are no such tables. Of tables of which one belongs to rows of the other, it is
// the one that belongs.
int64 most_rows(const List* queries);

// Whether a join may repeat rows of one of these tables, for all that is known: then a unit may have
// more of them.
bool may_repeat_rows(const List* queries);

// Says so where a join may repeat the rows of such a table, so that a unit may have more of them
// than the table says: more do not count. above: whether a join above these queries may.
void warn_of_repeated_rows(const List* queries, bool above);

// Likewise of rows of groups, of which a unit has so many at most.
void warn_of_repeated_groups(int64 most);

// Puts that in place of these tables.
void bound_rows(const List* queries);

}  // namespace idp
