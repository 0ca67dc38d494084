// What has the same value in every process of a query, and at every time while it runs.
//
// The start of a query decides what it costs, in one process. A plan node evaluates the same
// expression again, maybe in a parallel worker; and what a function does that somebody has declared
// IMMUTABLE is up to him. So what the decision rests on has to be certain.
#pragma once

#include "extension/pg/pg.h"

#include <optional>

namespace idp {

// Constants, parameters that the client gave, and immutable functions of the server itself of them.
bool is_certain(Node* expression);

// The value of an expression that is certain. Nothing if it is not, or its parameters have no
// values yet.
std::optional<NullableDatum> certain_value(Node* expression, EState* state);

// Whether a node of an expression makes the same of the same values at every time, whatever
// settings, catalogs and the clock say meanwhile: it calls immutable functions of the server alone,
// of numbers, dates, times and texts, whose values are no texts. Others are immutable by name only:
// how many digits the text of a float8 has is a setting, so is what EST means, and a text search
// configuration can be altered.
bool is_timeless(Node* node);

// Whether the members of an Append that are left when the executor starts are certain. A node that
// is none has no members.
bool has_certain_members(const PlanState* node);

}  // namespace idp
