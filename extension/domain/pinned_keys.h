// What conditions of a query leave to a column, or to what is computed, whose values nobody
// declared:
//
//   WHERE flag IN ('H', 'L') GROUP BY flag, WHERE rank <= 3 GROUP BY rank
//
// Who asks has written these values down, or the bounds that whole numbers and days lie between.
#pragma once

#include "extension/domain/finite_keys.h"
#include "extension/pg/pg.h"

namespace idp {

// Whether a statement has such keys, while it is planned: plain SQL has, and private aggregates that
// somebody wrote are left as they are. Returns what was said before.
bool take_pinned_keys(bool are_keys);

// False if conditions leave more values than kMostKeys, or do not say which.
bool pinned_keys(const Query* query, const Node* value, FiniteKeys* found);

}  // namespace idp
