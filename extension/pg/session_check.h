// Who asks.
#pragma once

namespace idp {

// Refuses where there is nobody: a worker of the server executes functions of indexes and triggers
// with the rights of whoever owns a table, who may be a group, and may not have loaded the library.
void require_session();

}  // namespace idp
