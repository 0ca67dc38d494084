// A view is read by the rights of its owner, while who asks is somebody else: no limit of roles
// (role_limit.h) that binds the owner would count what is asked through it.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/execnodes.h"
}

namespace idp {

// Refuses a query that reads a table by the rights of a role with a limit, by a view of its own,
// and would be charged for somebody whom that limit does not bind: who may not read the table
// himself. accounts: what the query is charged to.
void require_bound_readers(EState* state, const List* accounts);

}  // namespace idp
