// OFFSET of rows by a parameter: an ORM writes it whether rows are to be skipped or not.
#pragma once

#include "extension/domain/levels.h"

namespace idp {

// Puts the condition idp.skips_nothing(offset) in the place of the OFFSET of a subquery that reads
// hidden rows of tables themselves, where the value of the offset is not known before the statement
// is executed. The condition names no column: it is true for all rows, or the statement fails.
void require_no_offset(const QueryLevel& level);

}  // namespace idp
