// What a query, and the subqueries that it reads, require of rows of public tables: keys of these
// are of rows that fulfil it.
#pragma once

#include "extension/domain/key_column.h"
#include "extension/pg/pg.h"

namespace idp {

// Conditions that all rows of the query fulfil, over columns of keys alone.
//
// keys: of KeyColumn. Added to it are further columns of the public rows that keys are of, and of
// rows joined to these by equality, which conditions name. One that a subquery has and does not
// give stands for itself: it is a column beyond those of its entry.
List* conditions_on_keys(const Query* query, List** keys);

}  // namespace idp
