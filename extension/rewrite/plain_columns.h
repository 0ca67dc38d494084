// Subqueries that give columns of a table as they stand, on a side of an outer join.
//
//   SELECT i.active, sum(amount)
//   FROM orders o LEFT JOIN (SELECT id, active FROM customers) i ON o.customer_id = i.id GROUP BY 1
//
// reads customers itself: what knows joins along foreign keys and links knows those of tables.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Puts the tables in the place of such subqueries of a level.
void read_tables_themselves(Query* query);

}  // namespace idp
