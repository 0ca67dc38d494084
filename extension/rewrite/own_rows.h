// Rows that are found by what their own group shows, as the last one of each person:
//
//   orders o … WHERE o.id IN (SELECT max(id) FROM orders GROUP BY customer)
//   orders o JOIN (SELECT customer, max(id) AS id FROM orders GROUP BY customer) l ON l.id = o.id
//
// The row with the greatest id of a group is one of the group, and ids tell rows apart: so o is
// that row, and has its customer. To say o.customer = l.customer as well leaves the rows as they
// are, and the check of inputs sees whose they are. All other rows, o.id NOT IN (…), are those that
// are not what the group of their own key shows.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

void compare_keys_of_groups(Query* query);

}  // namespace idp
