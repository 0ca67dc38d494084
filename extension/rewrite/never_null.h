// What is never NULL, as columns and joins say.
#pragma once

#include "extension/domain/levels.h"
#include "extension/pg/pg.h"

namespace idp {

// The column of a table that a value is, wherever no join has put NULL in its place; none if it is
// something else. from: the part of FROM whose joins count.
TableColumn kept_column(const Query* query, const Node* from, const Node* value);

// Whether it is one that is declared NOT NULL, and no join of the query puts NULL in its place.
bool is_never_null_column(const Query* query, const Node* value);

}  // namespace idp
