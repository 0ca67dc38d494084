// An expression that was evaluated before the first row is read: its value stands in its place.
//
// What it was is kept beside the value and never executed: it is what questions are told by, which
// are the same whoever asks.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// CASE WHEN true THEN value ELSE expression END, told from what users write. state: one that
// evaluates the expression.
Node* settled(Node* expression, EState* state);

// Whether a node is an expression with a value of its own, and not settled yet: none that is a part
// of another expression, nor a constant or a parameter, whose values stand there already.
bool has_own_value(Node* expression);

bool is_settled(const Node* expression);

// The expression with what was settled in it as it was.
Node* with_unsettled(Node* expression);

}  // namespace idp
