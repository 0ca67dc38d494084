// Whether equal values of what is grouped by look the same, so that a group shows the same key
// whichever of its rows comes first: 1.0 = 1.00, -0 = 0, and NaN has a sign for who sees its bytes.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// expression: over columns of the query.
bool has_one_key_form(const Query* query, const Node* expression);

// Whether a number has one form by what computes it, whatever the columns hold: floor(x),
// extract(month FROM x).
bool is_number_of_one_form(const Node* expression);

}  // namespace idp
