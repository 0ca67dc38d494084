// Which expressions over the columns of one table other servers compute as this one does, to the
// last bit, and without fail for any value: nothing of how another server fares tells of rows.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/primnodes.h"
}

namespace idp {

// Conditions: comparisons of columns and constants that each server decides alike.
bool can_be_sent(const Node* condition);

// Whether a condition has two columns equal by the equality of their type.
bool is_sent_equality(const Node* condition);

// What aggregates take: a column; a number between constants, also as numeric, cut to some digits;
// and that or a constant where a condition of those above holds, and NULL elsewhere.
bool can_be_taken(const Node* value);

}  // namespace idp
