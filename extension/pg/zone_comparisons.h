// Comparisons of times of clocks with instants: timestamp < timestamptz, date = timestamptz.
//
// They are by the zone of the session. Where its clocks go forward, or leave out a day, two times
// of clocks are one instant, and times of clocks have another order than their instants. So such an
// equality is no equivalence, and by such an order nothing is sorted. The planner takes both for
// granted, as the operators are in a family with others: it drops keys that are equal to an instant
// from those that groups are sorted by, drops joins that follow from two such equalities, and
// searches indexes, which are sorted by clocks, for instants. Which rows are found then hangs on
// which others there are.
//
// So it is not to see them: (a < b) IS TRUE, where rows pass by true alone, is computed for each row
// and used for nothing else. A query that has one anywhere, be it as a column of a subquery, has all
// its conditions tested so, but for those that cannot become one: the planner puts what a column is
// in its place. What is said here of times holds of each comparison that is not IMMUTABLE: it is
// told by that.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// In all conditions of a query, and of what is below it. The query is changed.
void hide_zone_comparisons(Query* query);

// Whether an expression, or all that a query is made of, has such a comparison, hidden or not. A
// walker: the last argument is not used.
bool find_zone_comparison(Node* node, void*);

// Likewise of an expression in a plan, where texts of functions are in place already.
bool find_seen_comparison(Node* node, void*);

// A condition as it was written.
Node* without_hiding(Node* condition);

}  // namespace idp
