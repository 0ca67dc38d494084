// Keys of columns and of expressions, which ask each other: a column has those of the expression by
// which a subquery computes it, and an expression those that follow from its columns.
//
//   key_origin.cpp       columns
//   computed_keys.cpp    expressions
#pragma once

#include "extension/domain/key_column.h"
#include "extension/domain/levels.h"
#include "extension/pg/pg.h"

namespace idp {

struct FiniteKeys;  // finite_keys.h

// Which values everybody may know the column to have, whatever it is asked beside; null if there
// are none: they come, unchanged, from a column with a domain, from a table that everybody may
// know, or from an expression with few values, be it by subqueries, CTEs and joins.
//
// conditions: where it is not null it is set to what subqueries on the way require of the column
// alone, as expressions over it.
KeyColumn* key_of_column(const Query* query, const Var* column, List** conditions = nullptr);

// The column of a table that everybody may know of which the column has a value in each row, or
// NULL; none if it is not known to, or who asks may not read all rows of that column himself.
TableColumn public_column(const Query* query, const Var* column);

// False if there are none. will_be_within: whether the query will leave out rows in which a column
// of found->within has no key (is_a_key() in key_table.h), if it does not yet.
bool computed_keys(const Query* query, Node* expression, bool will_be_within, FiniteKeys* found);

}  // namespace idp
