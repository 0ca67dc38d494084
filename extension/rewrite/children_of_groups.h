// What is counted for each group, by a subquery that names its key, as object mappers write it:
//
//   SELECT c.segment, (SELECT count(*) FROM customers d JOIN orders … WHERE d.segment = c.segment)
//   FROM customers c GROUP BY c.segment
//
// is computed once, by that key, and read for each group:
//
//   WITH a AS (SELECT d.segment, count(*) AS n FROM customers d JOIN orders … GROUP BY 1)
//   SELECT c.segment, coalesce((SELECT n FROM a WHERE a.segment = c.segment), 0) …
//
// Both are the same column of one table, whose keys everybody may know: no group is left out, and
// none has rows that are counted elsewhere.
#pragma once

#include "extension/domain/levels.h"

namespace idp {

void count_children_of_groups(const QueryLevel& level);

}  // namespace idp
