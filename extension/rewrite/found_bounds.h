// Sums and averages that find their bounds (docs/sql.md): who asks for them is told how many rows
// they need.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether an answer that a plain aggregate became finds the bounds of its values.
bool finds_bounds(Node* answer);

// Says how many rows, or persons, answers need whose bounds are found, where that is more than a
// few. It follows from epsilon alone: how many there are is no matter. Nothing that was paid for
// says so before the rows are read.
void warn_of_found_bounds_of_rows();
void warn_of_found_bounds_of_persons();

}  // namespace idp
