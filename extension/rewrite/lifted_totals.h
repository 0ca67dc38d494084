// Aggregates over rows as totals of the same over finer groups: counts and sums add up.
//
//   count(*)                  sum of count(*), as bigint, 0 of nothing
//   sum(x)                    sum of sum(x)
//   avg(x)                    sum of sum(x) / sum of count(x)
//   count(*) FILTER (WHERE x IN (SELECT …))     sum of count(*) FILTER (…)
//
// All others are those of the finer group where there is one at most for each:
//
//   count(DISTINCT x)         max of count(DISTINCT x), 0 of nothing
//   median, min, max …        max of these
//
// Parts of a total may be negative (private_call.h): so it is right on average.
#pragma once

#include "extension/pg/pg.h"

#include "extension/rewrite/lifted_parts.h"

namespace idp {

// What becomes of expressions over rows, and of others, above the groups.
struct AboveGroups {
  void* context;
  // The column that shows a value of groups, such as an aggregate over them.
  Node* (*shown)(Node* value, void* context);
  // An expression over what is lifted and what rows of a group have in common.
  Node* (*lifted)(Node* expression, void* context);
  // Set where a total is right only if each group is made of one finer group at most.
  bool* is_of_one;
};

// Null if it is no total of parts.
Node* total_of(const LiftedParts& parts, const Aggref* whole, const AboveGroups& above);

// Whether a value of rows is NULL where an outer join has NULL in place of them.
bool is_null_of_no_row(const LiftedParts& parts, Node* value);

}  // namespace idp
