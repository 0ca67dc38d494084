// Facts about functions and aggregates from the system catalogs.
#pragma once

#include "extension/pg.h"

namespace idp {

// The declared type of the argument at that position (from 0).
Oid function_argument_type(Oid function, int position);

// The transition function of an aggregate.
Oid transition_function_of(Oid aggregate);

}  // namespace idp
