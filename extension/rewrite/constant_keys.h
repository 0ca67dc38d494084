// Keys of groups that are the same for all rows, as tools write labels:
//
//   SELECT 'orders' AS metric, now() AS time, count(*) FROM orders GROUP BY 1, 2
//
// become no keys. Where there are no others there is one group, as everybody may know, and not one
// that is there if the table has a row. A column of a subquery that is a constant is that constant.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

void drop_constant_keys(Query* query);

}  // namespace idp
