// What has the same value in every process of a query, and at every time while it runs.
//
// The start of a query decides what it costs, in one process. A plan node evaluates the same
// expression again, maybe in a parallel worker; and what a function does that somebody has declared
// IMMUTABLE is up to him. So what the decision rests on has to be certain.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Constants, parameters that the client gave, and immutable functions of the server itself of them.
bool is_certain(Node* expression);

// Whether a node of an expression makes the same of the same values at every time, whatever
// settings and the clock say meanwhile: it calls immutable functions of the server alone. Those
// that write text do not, though they say so: how many digits float8 has is a setting.
bool is_timeless(Node* node);

// Whether the members of an Append that are left when the executor starts are certain. A node that
// is none has no members.
bool has_certain_members(const PlanState* node);

}  // namespace idp
