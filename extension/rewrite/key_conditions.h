// A condition that a key of groups equals a value, which stands around the groups or in HAVING:
//
//   SELECT * FROM (SELECT status, count(*) FROM orders GROUP BY 1) t WHERE status = 'paid'
//   SELECT status, count(*) FROM orders GROUP BY 1 HAVING status = 'paid'
//
// is one of the rows:
//
//   SELECT status, count(*) FROM orders WHERE status = 'paid' GROUP BY 1
//
// The planner puts it there, too, but only once keys that everybody may know are beside the rows.
// From PostgreSQL 16 on it drops the key then, so that nothing is left to know the answer by when
// it is asked for again.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Of the query, and of queries that it reads, which are to be visited afterwards.
void put_key_conditions_below(Query* query);

}  // namespace idp
