// What a query reads that got its groups from domains (domain/all_groups.h): rows, and keys put
// together with them.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// The query that gives the rows; null if the query does not read rows and keys.
const Query* rows_beside_keys(const Query* query);

}  // namespace idp
