// Queries that make or count reports (extension/report/) of rows of protected tables: nothing would
// be charged for what these tell, so they are refused.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "executor/execdesc.h"
}

namespace idp {

// Reports an error if the query calls a function that makes or counts reports, and reads a protected table.
void refuse_reports_of_protected(const QueryDesc* query);

}  // namespace idp
