// Rows of several values that are counted, as one text of them:
//
//   count(DISTINCT (customer, status))     count(DISTINCT '2:17' || '4:paid')
//
// Each value has its length before it, and one that is NULL is '-': so no two rows have one text.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// The count of texts; the call itself if it counts something else, or values that may be equal and
// have different texts, as 1.0 and 1.00 of numeric.
Node* count_of_rows(Aggref* call);

}  // namespace idp
