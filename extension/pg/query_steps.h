// What a query does beside reading rows, choosing some by conditions, computing columns of them and
// sorting them. A place that knows some of these steps names them, and is given no query that takes
// another: not one that a later version of this list has either.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

namespace step {

enum Step : unsigned {
  kAggregates = 1U << 0,
  kGroups = 1U << 1,  // GROUP BY
  kGroupingSets = 1U << 2,
  kHaving = 1U << 3,
  kWindows = 1U << 4,
  kDistinct = 1U << 5,  // and DISTINCT ON
  kDistinctOn = 1U << 6,
  kLimit = 1U << 7,
  kOffset = 1U << 8,
  kSetOperations = 1U << 9,
  kSetFunctions = 1U << 10,  // in SELECT
  kWith = 1U << 11,
  kChanges = 1U << 12,  // of rows, in WITH
  kLocks = 1U << 13,    // FOR UPDATE
  kSubLinks = 1U << 14,
  kImpliedGroups = 1U << 15,  // columns that follow from a primary key in GROUP BY
};

}  // namespace step

// Whether it is SELECT, and takes none but those steps.
bool takes_only(const Query* query, unsigned steps);

// Whether it is one row of aggregates, of all rows that it reads, and nothing but that.
bool aggregates_all_rows(const Query* query);

// The same as walk_query() for what looks at queries alone: visits those within, and expressions
// only where they have some, as the planner does.
bool walk_queries(Query* query, bool (*visit)(Node*, void*), void* context);

// Whether a query says all that it reads: not where it names a CTE of a query around it.
bool is_whole(Query* query);

}  // namespace idp
