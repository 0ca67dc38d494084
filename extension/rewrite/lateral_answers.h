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

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

// Changes one level.
void show_lateral_answers(Query* query);

}  // namespace idp
