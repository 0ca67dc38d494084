// Which values a column has, of a hidden table: what a tool asks to fill the choices of a filter.
//
//   SELECT DISTINCT status FROM orders WHERE status <> 'lost' ORDER BY 1
//
// asks for nothing but columns with domains. For whoever the rows are hidden from it is planned as
//
//   SELECT DISTINCT status FROM (VALUES ('new'), ('paid'), ('lost')) keys (status)
//   WHERE status <> 'lost' ORDER BY 1
//
// So it is answered from what the owner declared, reads no row, and costs nothing.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Changes the query, and those in it, which are not planned yet.
void list_values(Query* query);

// Whether that answers a query, apart from those in it.
bool is_value_list(const Query* query);

}  // namespace idp
