// A query that groups by columns with domains gets every key of these, and no other.
//
//   SELECT dept, dp_count(0.5) FROM staff WHERE age > 30 GROUP BY dept
//
// is planned as
//
//   SELECT dept, dp_count(0.5) FILTER (WHERE marker IS NULL)
//   FROM (SELECT dept, NULL AS marker FROM staff WHERE age > 30 AND dept = ANY ('{a,b}')
//         UNION ALL
//         SELECT key, <marker> FROM (VALUES ('a'), ('b')) keys (key)) rows_and_keys
//   GROUP BY dept
//
// so that a group is there whether the table has a row of it or not. What stands in place of the
// table, inner joins of subqueries for instance, goes there as it is: rows with another key are
// left out, wherever they come from. It is the column whose values are given, so any expression
// over it may be grouped by: its values for the rows are among those for the keys. Several columns
// have the product of their domains. NULL is a key where a column may be NULL. Conditions on
// columns of keys alone, in WHERE dept <> 'b', are asked of both sides: who has a key that does not
// fulfil them is no row of the query (key_conditions.h).
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether tables of a query can have domains.
bool may_have_domains(const Query* query);

// Changes the query, and those in it, which are not planned yet.
void give_all_groups(Query* query);

// Changes a query, and none of those in it. Whether it did.
bool give_groups_of(Query* query);

}  // namespace idp
