// idp.skips_nothing(offset): what plain statements over hidden rows get in the place of an OFFSET
// whose value is not known before they are executed (rewrite/offsets.h). It is true for 0 and NULL,
// and fails for every other number, which is none of a row: so it is evaluated before rows are read.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

bool is_offset_check(Oid function);
// Invalid if the extension is of an earlier version.
Oid offset_check();

}  // namespace idp
