// Joins along foreign keys.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether a condition on tables that a query reads is that a column of the one refers to a column
// of the other, by a foreign key: to each value of the first there is a row of the other.
bool is_reference(const Query* query, const Node* condition);

}  // namespace idp
