// One stored form for equal values. A long value is kept compressed, or elsewhere, depending on the
// other values of its row and on when it was written; pg_column_size() and its like tell which.
// -0 is 0, and a NaN has a sign. What a group shows of a key is of one of its rows: it must not tell
// of which. Keys of several forms are refused before (domain/key_forms.h): this is behind that.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// A call of idp.in_one_form() with the value; the value itself if its type has one form.
Node* in_one_form(Node* value);

}  // namespace idp
