// What kinds of expressions there are.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether a node is of a kind that does nothing of its own but call the functions, or choose among
// the values, that it holds: check_functions_in_node() and walk_expression() see all it does.
// Checks start from this list, and add what else they know.
bool only_calls_functions(const Node* node);

}  // namespace idp
