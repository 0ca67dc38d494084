// What is counted of hidden rows for each row of a table that everybody may know, as object mappers
// write it:
//
//   SELECT r.name, (SELECT count(*) FROM customers c WHERE c.region_id = r.id) FROM regions r
//
// is computed once, by the key, and read for each row:
//
//   WITH a AS (SELECT p.id, count(*) AS n FROM regions p JOIN customers c ON c.region_id = p.id
//   GROUP BY 1) SELECT r.name, coalesce((SELECT n FROM a WHERE a.id = r.id), 0) FROM regions r
//
// Queries further within read them likewise: (SELECT json_agg(q) FROM (SELECT segment, count(*)
// FROM customers c WHERE c.region_id = r.id GROUP BY segment) q).
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

void count_children_once(Query* query);

// A part of it: the queries within that are more than one value. Of hidden rows, too, those that
// hang on a row read answers that are the same for all: (SELECT n FROM (SELECT segment, count(*) AS
// n FROM customers GROUP BY 1) a WHERE a.segment = c.segment).
void count_children_below(Query* query);

}  // namespace idp
