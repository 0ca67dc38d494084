// Where the values of a column of a query come from, and whether everybody may know them.
#pragma once

#include "extension/domain/key_column.h"
#include "extension/pg/pg.h"

namespace idp {

// Which values everybody may know the column to have, whatever it is asked beside; null if there
// are none: they come, unchanged, from a column with a domain, from a table that everybody may
// know, or from an expression with few values, be it by subqueries, CTEs and joins.
//
// conditions: where it is not null it is set to what subqueries on the way require of the column
// alone, as expressions over it.
KeyColumn* key_of_column(const Query* query, const Var* column, List** conditions = nullptr);

// What an aggregate gives one of the values of: min(), max(), bool_and(), bool_or(). Null of
// anything else.
Node* value_of_one(const Node* node);

// The column of which an aggregate gives one of the values: min(), max(), bool_and(), bool_or().
// Null of anything else.
const Var* column_of_one(const Node* value);

// The subquery or CTE whose rows an entry of the query reads, if they are the same for each row of
// the query; null if it reads none.
const Query* rows_of_entry(const Query* query, const RangeTblEntry* entry);

}  // namespace idp
