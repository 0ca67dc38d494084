// Where the values of a column of a query come from, and whether everybody may know them.
#pragma once

#include "extension/domain/asked_keys.h"
#include "extension/domain/key_column.h"
#include "extension/pg/pg.h"

namespace idp {

// The subquery or CTE whose rows an entry of the query reads, if they are the same for each row of
// the query; null if it reads none.
const Query* rows_of_entry(const Query* query, const RangeTblEntry* entry);

}  // namespace idp
