// One form for equal values. What a group shows of a key is of one of its rows: it must not tell of
// which. A long value is kept compressed, or elsewhere, depending on the other values of its row
// and on when it was written; pg_column_size() and its like tell which. -0 is 0, and a NaN has a
// sign. 1.0 and 1.00 are shown as 1 where the type of the key has no scale.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// A value that is not null. has_own_scales: of a numeric whose type has no scale.
Datum value_in_one_form(Oid type, bool has_own_scales, Datum value);

// A call of idp.in_one_form() with the value; the value itself if its type has one form.
Node* in_one_form(Node* value);
// Whether an expression is such a call.
bool is_in_one_form(const Node* node);

// Whether it is such a call with a number: equal numbers look the same then.
bool is_number_in_one_form(const Node* node);

}  // namespace idp
