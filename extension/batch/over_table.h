// Expressions of an aggregation as ones over the columns of the table below it.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// An expression over the output of a scan, whose columns these are, as one over what the scan
// computes them of; null if it reads anything else.
Node* over_table(Node* expression, const List* columns);

// The parts of a condition that are not always true.
List* conditions_without_constants(Node* condition);

// Whether an expression reads the columns of a row and nothing else of it: neither those of the
// system nor the row as a whole. Adds their numbers.
bool are_columns_of_rows(Node* expression, Index table, Bitmapset*& numbers);

// The same, and it may be computed at another time than the server would: for rows in their order,
// but for a page of them at once, and for some of them again.
bool can_be_of_rows(Node* expression, Index table, Bitmapset*& numbers);

// Whether it has parameters that are passed to the query.
bool has_outer_parameters(Node* expression);

}  // namespace idp
