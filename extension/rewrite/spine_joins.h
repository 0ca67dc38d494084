// Joins around a spine (lifted_parts.h), so that it stands alone on the left of all that has rows:
//
//   FROM d LEFT JOIN orders o ON o.day = d LEFT JOIN customers c ON c.id = o.customer_id
//
// becomes FROM d LEFT JOIN (orders o LEFT JOIN customers c ON …) ON o.day = d. A day without orders
// has no customer before and after, as the second condition is not true of no order.
//
//   FROM regions r CROSS JOIN d LEFT JOIN customers c ON c.region = r.id
//     LEFT JOIN orders o ON o.customer_id = c.id AND o.day = d
//
// becomes FROM regions r CROSS JOIN d LEFT JOIN (customers c JOIN orders o ON …) ON c.region = r.id
// AND o.day = d, where the query asks for counts, sums and their like of orders alone: customers
// without orders on a day add nothing to these, and each region and day is there in any case.
//
//   FROM d LEFT JOIN orders o ON o.day = d JOIN customers c ON c.id = o.customer_id
//   FROM d LEFT JOIN orders o ON o.day = d WHERE o.amount > 5
//
// have no days without orders: the LEFT JOIN becomes an inner one.
#pragma once

#include "extension/pg/pg.h"

#include <functional>

namespace idp {

// Of an outer join, (a LEFT JOIN b) LEFT JOIN c on a condition: whether it has the same rows as
// a LEFT JOIN (b LEFT JOIN c), as the condition names nothing of a, and is not true of no b.
bool may_be_made_first(const JoinExpr* join, const JoinExpr* left);

// Whether WHERE is not true of the rows to which an outer join finds no others.
bool leaves_out_absent(const Query* query, const JoinExpr* join);

// Whether one of the conditions is not true where all columns of the entries are NULL, whatever the
// others are.
bool tells_absent(Node* conditions, Bitmapset* entries);
// Whether an expression is NULL where all columns of some entries are.
bool is_null_of_absent(const Node* expression, Bitmapset* entries);

// Whether an aggregate counts rows in which the columns of these entries are NULL, by an outer
// join.
bool counts_absent(Node* node, Bitmapset* entries);

// The entries of a part of FROM.
Bitmapset* entries_of(const Node* from);

// Changes FROM of a query whose expressions name no columns of joins. is_spine: whether a part of
// FROM can be a spine.
void move_joins_of_spine(Query* query, const std::function<bool(const Node*)>& is_spine);

}  // namespace idp
