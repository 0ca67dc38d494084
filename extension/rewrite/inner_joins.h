// Outer joins that have the rows of inner ones.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Makes inner joins of the joins of a level of which that is said, until there are none. It is
// asked again about the others then, and must not be said of inner joins.
void make_inner_where(Query* query, bool (*has_rows_of_inner)(const Query*, const JoinExpr*));

}  // namespace idp
