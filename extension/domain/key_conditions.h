// Conditions that leave out keys of a domain: what WHERE says of columns of keys and of constants
// alone is as public as the domain. A key that does not fulfil it can have no row, whatever rows
// there are.
#pragma once

#include "extension/domain/key_column.h"
#include "extension/pg/pg.h"

namespace idp {

// Conditions that all rows of a query fulfil, of those that only speak of some of its columns (of
// Var) and of what is the same for all rows, and whose value follows from theirs, always alike.
List* conditions_on_columns(const Query* query, const List* columns);

// All conditions that all rows of a query fulfil: what AND joins in WHERE and in ON of inner joins.
List* conditions_of_rows(const Query* query);
// Of such conditions, those that conditions_on_columns() has.
List* only_on_columns(const List* conditions, const List* columns);

// Likewise of one column of a subquery, said of the column of the query above that has its values.
List* conditions_on_column(const Query* query, const Var* column, const Var* above);

// Whether conditions of a query leave no row in which a column of it is NULL.
bool is_never_null(const Query* query, const Var* column);

// Leaves out the values of a column that do not fulfil a condition on it alone, and NULL, where
// that can be told when the query is planned, and without an error whatever the value. Leaves one.
void leave_out_keys(const List* conditions, KeyColumn* key);

}  // namespace idp
