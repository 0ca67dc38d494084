// EXISTS for each row of a linked table, by more than the equality of two columns, where it is part
// of an expression:
//
//   avg(EXISTS (SELECT 1 FROM orders z WHERE z.customer = o.customer AND z.day > o.day)::int)
//
// is avg((coalesce(a.count, 0) > 0)::int) beside
//
//   LEFT JOIN (SELECT o.id AS key, o.customer AS unit, count(*) FROM orders o
//              WHERE EXISTS (SELECT 1 FROM orders z WHERE z.customer = o.customer AND z.day >
//              o.day) GROUP BY 1, 2) a ON a.key = o.id AND a.unit = o.customer
//
// As a condition of rows the planner joins by it as it stands.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

// The value of a subquery of that kind, of a level of a query, which is joined to it; null if it is
// of another one.
Node* value_of_existence(Query* query, const SubLink* link);

}  // namespace idp
