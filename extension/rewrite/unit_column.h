// The column that tells whose each row of a level is: the key of the unit, or what refers to it.
//
//   SELECT status, count(*) FROM (SELECT status FROM orders) o GROUP BY status
//
// has none, but orders has: the subquery gives it too.
#pragma once

#include "extension/pg/pg.h"

#include "extension/catalog/link_rows.h"
#include "extension/domain/levels.h"

namespace idp {

// The link of a table; null if it has none.
const LinkRow* link_of(Oid table);
// The column of a link in its table, or in a partition of that; invalid if it is gone.
AttrNumber column_of_link(const LinkRow& link, Oid table);

// Whether a query gives rows of what it reads, each once, so that it may give one more column of
// them.
bool passes_rows(const Query* query);

// Where it is: by which entries of the level, and of those in it, its table is reached, of int. NIL
// if there is none that every row has.
List* path_to_unit(const QueryLevel& level);

// That column of the level, on such a path; the subqueries and CTEs between give it from now on,
// and what leads from a table to its unit is joined to it (parent_table.h).
Var* give_unit(const QueryLevel& level, const List* path);

// The column by which a table tells the units of its own rows apart, or else refers to the table
// that does; invalid if it does neither.
AttrNumber unit_column_of(Oid table);

// Whether a column of a table is the key of a unit, or what refers to it.
bool is_unit_column(const TableColumn& origin);
// Whether a value of a level is that of such columns: of each part of a set operation.
bool is_unit(const QueryLevel& level, const Node* value);
// The column of a level by which it has a row for each unit, or several: one of those that it
// groups by, or makes distinct. 0 if there is none.
AttrNumber column_of_units(const QueryLevel& level);

// Whether a table has one row for each unit.
bool is_unit_table(Oid table);
// Whether links lead from a table to the unit that its rows belong to.
bool leads_to_unit(Oid table);
// The same column of an entry of which that is so.
Var* unit_of_entry(Query* query, int number);

}  // namespace idp
