// How many units there are in each group: each unit is in a group once, however many rows it has.
//
//   SELECT kind, count(DISTINCT customer) FROM calls GROUP BY kind
//
// becomes, where nobody said how many calls a customer may have,
//
//   SELECT kind, count(customer) FROM (SELECT kind, customer FROM calls GROUP BY kind, customer)
//   units GROUP BY kind
//
// One unit more or less changes each group of that by one row of its own at most. So without GROUP
// BY, and where the groups follow from the unit, the number changes by at most one, and costs its
// epsilon. Otherwise a unit has at most as many rows as there are groups, and what it adds to all
// of them is a sum of bounded mass (clipped_sums.h): the bound is that number, so no unit is cut.
#pragma once

#include "extension/pg/pg.h"

#include "extension/domain/levels.h"

namespace idp {

// Changes a level of which all aggregates are such counts, over rows without a bound.
void count_units(const QueryLevel& level);

// How many keys everybody may know of a column that a query groups by; 0 of one that is not listed,
// and of what is computed.
int64 number_of_listed_keys(const Query* query, const Node* key);

// Of a level that reads rows of groups of units: how many of them one unit may have, as everybody
// may know. 0 if that is not known, or if it seems to be one. Adds to readers the queries that
// group them, of Query, if the rows that these read can be bounded (bounded_rows.h).
int64 most_groups_of_unit(const QueryLevel& level, List** readers);

}  // namespace idp
