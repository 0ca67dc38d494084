// Which queries the extension has nothing to do with: most of them.
#pragma once

extern "C" {
#include "postgres.h"

#include "nodes/parsenodes.h"
}

namespace idp {

// Whether a query reads no hidden rows at any level, and calls no functions but those that came
// with the server. So the planner can neither put the text of a function in its place nor meet a
// call of ours.
bool is_untouched(Query* query);

}  // namespace idp
