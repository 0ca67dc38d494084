// Rows that only stand for the keys of a domain, beside those of a table below one aggregation
// (domain/all_groups.h): each aggregate leaves them out by its filter, so that it sees rows of the
// table alone, and there is a group for each key.
//
// What gives such rows says so by a value of a type that SQL has no other values of: who writes a
// query cannot make one.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// The value in the column that tells these rows from those of the table, which have NULL there.
// listed: whether which keys there are is written in the query, and follows from no table.
Const* key_marker(bool listed);
Const* no_key_marker();

// The location of the condition that rows have a key, which no text of a query gives: where rows are
// put together by these keys anyway, others are cheaper left out afterwards.
inline constexpr int kKeyCondition = -7;

// Whether an expression is the value that tells such rows.
bool is_key_marker(const Node* expression);

// Whether a plan node gives such rows, and no others.
bool gives_key_rows(const Plan* plan);

// Whether the groups of an aggregation are those of such rows: then they tell of no other.
bool has_key_rows(const Plan* aggregation);

// Whether these are listed: whatever the tables hold, the same query has the same groups.
bool has_listed_keys(const Plan* aggregation);

}  // namespace idp
