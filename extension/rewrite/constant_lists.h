// Lists of rows that are constants: VALUES, calendars of generate_series(), elements of unnest()
// and its like, and what subqueries compute of such.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// The values of each row, of List of Const; NIL if an entry is something else, or its rows are too
// many to be asked for one by one. What follows the zone of the session holds for it alone.
List* rows_of_list(const RangeTblEntry* entry);

// An expression over a row of such an entry, whose number this is: a constant, if it names nothing
// else.
Node* over_row(Node* expression, int entry, const List* row);

// What a value is the day of, an instant; null if it is none.
const FuncExpr* as_day(Node* value);
// The day of an instant; null of NULL.
Const* day_of(const FuncExpr* cast, const Const* value);

}  // namespace idp
