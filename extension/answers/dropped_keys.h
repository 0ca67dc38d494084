// Keys of GROUP BY that the planner has dropped, as they follow from others: columns of a table
// whose primary key is among the keys, too.
//
//   SELECT r.id, r.name, count(*) FROM regions r LEFT JOIN customers c ON … GROUP BY r.id, r.name
//
// is grouped by r.id alone. Answers that are given again are told by what their groups are grouped
// by (numbers.h), and a column that is no key could be any. So the aggregation groups by what the
// query says after all: that needs no proof. Groups are the same where the key is one.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Changes an aggregation without grouping sets, whose columns are set. Keys that it does not
// find below stay dropped.
void give_back_keys(Agg* aggregation);

}  // namespace idp
