// The keys of columns as rows that a query reads in place of a table.
#pragma once

#include "extension/domain/key_column.h"
#include "extension/pg/pg.h"

namespace idp {

// Whether a row of the query has one of the keys of a column that are listed, as a condition:
// column = ANY ('{…}'), or column IS NULL. By its cell, where it has a grain.
Node* is_a_key(const KeyColumn& column);

// The key of that number; behind the values that are listed it is NULL.
Const* key_constant(const KeyColumn& column, int i);

// Has the query read the product of the keys (of KeyColumn) that fulfil conditions over the columns
// it has read before, and nothing else. Entries that it has stay, for the rights that they ask for.
void read_keys(Query* query, List* key_columns, List* conditions);

// The column of these rows that stands for one that was read before; null if none does.
Node* column_of_keys(const Var* column, const List* key_columns);

// An expression over columns that were read before, over these rows. Other columns stay.
Node* over_keys(Node* expression, List* key_columns);

}  // namespace idp
