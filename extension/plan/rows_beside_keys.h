// The question of a query that got its groups from domains (domain/all_groups.h): it reads rows and
// keys put together. What it asks of a group is what it would ask of the rows alone, where the key
// of the group holds. So a release name stands for the same question in both.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// The rows, as the query that gives them; null if the query does not read rows and keys.
Query* rows_beside_keys(const Query* query);

// An expression of the query, over the columns of these rows.
Node* over_rows(Node* expression, const Query* rows);

// A filter of an aggregate of the query, likewise, without the test that leaves out keys.
Node* filter_of_rows(Node* filter, const Query* rows);

}  // namespace idp
