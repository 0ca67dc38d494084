// Functions that are applied to no hidden row, over columns whose values a domain lists: they are
// computed for the values that are listed, and looked up for rows.
//
//   SELECT replace(channel, 'web', 'online'), count(*) FROM orders GROUP BY 1
//
// groups by CASE WHEN channel = 'web' THEN 'online' WHEN channel = 'shop' THEN 'shop' END. A row
// with another value than these has none.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

// In expressions of the query, but not of its subqueries.
void look_up_values(Query* query);

}  // namespace idp
