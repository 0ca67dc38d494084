// What conditions on a column say of what a subquery computes of it, as far as they are settled
// only when the query runs: what is compared with the time, with parameters, or by the zone of the
// session.
//
//   SELECT m, count(*) FROM (SELECT customer, date_trunc('month', at) AS m FROM orders
//                            WHERE at >= now() - interval '60 days' GROUP BY 1, 2) o GROUP BY m
//
// The rows of o have m >= date_trunc('month', now() - interval '60 days'), so no other month is a
// key. Where an expression goes up with its column, the ends of an interval do so with it; what
// speaks of the expression itself is said of the column above.
#pragma once

#include "extension/domain/key_column.h"
#include "extension/pg/pg.h"

namespace idp {

// Conditions that all rows of the query fulfil, over the column of a key that has an image
// (KeyColumn::image): NIL of any other.
List* implied_conditions(const Query* query, const KeyColumn& key);

}  // namespace idp
