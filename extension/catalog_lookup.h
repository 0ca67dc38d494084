// Facts about functions and aggregates from the system catalogs.
#pragma once

#include "extension/pg.h"

namespace idp {

// The declared type of the argument at that position (from 0).
Oid function_argument_type(Oid function, int position);

int function_argument_count(Oid function);

// The transition function of an aggregate.
Oid transition_function_of(Oid aggregate);

// A type of schema idp.
Oid own_type(const char* name);

// The tables that a table is a partition or an inheritance child of, directly.
List* parents_of(Oid relation);

}  // namespace idp
