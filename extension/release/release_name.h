// The name of a release: what it may be made of, and what it is for the current group.
#pragma once

#include "extension/pg/pg.h"

#include "extension/call/bound_call.h"

namespace idp {

// The argument that names the release, or null if the call has none.
Node* release_expression(AggState* node, Aggref* aggref);

// Checks the name before rows are read, and prepares its evaluation.
void prepare_name(BoundCall* call);

// The name for the current group; null if it has none.
char* current_name(BoundCall* call);

// Two groups must not share a name: the second would get the answer of the first.
void require_new(BoundCall* call, const char* name);

}  // namespace idp
