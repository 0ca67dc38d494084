// Plain SQL over hidden tables: for roles that these are hidden from, plain aggregates over their
// rows become private ones, before the query is planned.
//
//   SELECT status, count(*), avg(price) FROM orders GROUP BY status
//
// is planned as
//
//   SELECT status, greatest(dp_count(ε), 0), dp_avg(price, ε, 0, 2000) FROM orders GROUP BY status
//
// with the ε of idp.epsilon, and bounds that everybody may know. What is made of the answers stays
// as it is. It is done where a query is planned, not where it is parsed: views are expanded by
// then, and nobody else has the role that it is planned for, so that views, prepared statements and
// functions keep what their authors wrote, and names under which others count statements
// (pg_stat_statements) are those of the plain ones. Plans are made anew for another role.
//
// Nothing here is trusted: what becomes of a query passes the same checks as if the user had
// written it (access/approval.h), and what is left as it was is refused as ever.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether rows of a table that it names, at whatever level, are hidden from the current role.
bool reads_hidden_tables(Query* query);

// Changes the query, which reads such a table and is not planned yet.
void rewrite_plain(Query* query);

}  // namespace idp
