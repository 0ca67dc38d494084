// Columns that everybody may see by the cells of a grain (cells.h), in expressions.
//
//   idp.set_domain('orders', 'ordered_at', '2024-01-01', '2027-01-01', grain => '1 day')
//
// Rows are put into groups by their cell, whatever is computed of it. So that this is what the
// query asks for, it may use the column in keys only where that is the same for all instants of a
// cell: date_trunc('month', ordered_at), ordered_at::date, extract(year FROM ordered_at).
//
// Where instants have a time zone the cells are days, or months, of one zone, which the domain
// names.
#pragma once

#include "extension/domain/key_column.h"
#include "extension/pg/pg.h"

namespace idp {

// The cell of a column, as an expression.
Node* cell_expression(const KeyColumn& key);

// Whether an expression is the same for all instants of a cell, of those of the keys that have a
// grain.
bool sees_cells_alone(Node* expression, const List* keys);

// A condition that a cell fulfils if one of its instants does; null if none is known.
Node* condition_on_cells(Node* condition, const List* keys);
// Of several, those that are known.
List* conditions_on_cells(const List* conditions, const List* keys);

}  // namespace idp
