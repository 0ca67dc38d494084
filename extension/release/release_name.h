// The name of a release: what it may be made of, and what it is for the current group.
#pragma once

#include "extension/pg/pg.h"

#include "extension/call/bound_call.h"

namespace idp {

// The argument that names the release, or null if the call has none.
Node* release_expression(AggState* node, Aggref* aggref);

// Checks the name before rows are read, and prepares its evaluation.
void prepare_name(BoundCall* call);

// Whether the call has an answer for each group. What goes wrong for a group, it must not tell: it
// has no answer then.
inline bool has_group_names(const BoundCall* call) { return call->release.names != nullptr; }

// The name for the current group; null if it has none.
char* current_name(BoundCall* call);

// Whether no other group of the query had the name: a second one would get the answer of the first.
bool is_new_name(BoundCall* call, const char* name);

}  // namespace idp
