// Named releases: the noise of an answer is kept, so that the answer can be repeated, refined and
// tightened, whatever happened to the table since (privacy.md, sections 4 and 5). Here is what a
// query asks for under a name; how releases are stored is in chain_rows.h, how they are refined in
// refine.h.
#pragma once

#include "extension/pg/pg.h"

#include "extension/call/bound_call.h"
#include "extension/plan/input.h"
#include "extension/release/refine.h"

namespace idp {

// Checks the name of a call before rows are read, and prepares its evaluation.
void prepare_release(BoundCall* call, const Input& input);

// Freezes the current group: makes the record of a release that begins.
using Freeze = bytea* (*)(void* context);

// The release of the current group at these epsilons, stored by then. Freeze is called if it
// begins.
Stored named_release(BoundCall* call, const Request& request, Oid result, Freeze freeze,
                     void* context);

}  // namespace idp
