// An answer for each row that LATERAL joins, as Hasura and object mappers write it:
//
//   SELECT r.name, a.n
//   FROM regions r LEFT JOIN LATERAL (SELECT count(*) AS n FROM customers c WHERE c.region = r.id)
//   a ON true
//
// It is one row, whatever there is, so that it becomes
//
//   SELECT r.name, (SELECT count(*) FROM customers c WHERE c.region = r.id) FROM regions r
#pragma once

#include "extension/domain/levels.h"
#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

// Changes one level.
void show_lateral_answers(Query* query);

// The same of answers that rows are joined to, where a level reads rows and answers still:
//
//   SELECT count(*) FROM orders, (SELECT avg(amount) AS m FROM orders) a WHERE amount > a.m
void show_joined_answers(const QueryLevel& level);

// Puts what is computed for each row in its place:
//
//   SELECT l.size, count(*) FROM orders o
//   CROSS JOIN LATERAL (SELECT CASE WHEN o.amount > 1000 THEN 'large' ELSE 'small' END AS size) l
//   GROUP BY l.size
//
// groups by CASE itself.
void compute_lateral_rows(Query* query);

}  // namespace idp
