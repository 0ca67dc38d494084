// A query that groups by expressions whose values everybody may know (finite_keys.h), over columns
// that have no domain, or one of more values than are listed.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// A copy of the query that reads one subquery: of all that it reads, with such expressions as
// columns. It means the same, and asks for the same rights. Null if it groups by none of them.
// by_parts: also what has keys by its columns, so that their number is that of the expressions.
Query* with_finite_columns(const Query* query, bool by_parts);

}  // namespace idp
