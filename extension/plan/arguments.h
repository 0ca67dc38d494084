// Checking and evaluating the arguments of a call without a row to read them from.
#pragma once

#include "extension/pg/pg.h"

#include "extension/call/call.h"

namespace idp {

// Reports an error unless the arguments of this call, in that plan node, keep the rules.
void check_call(const Call& call, List* args, PlanState* node);

// The call as it stands over rows, with its arguments, in the node plan then is: it may be the
// final half of a split aggregate, whose first half is looked up in the plan below. An error if
// that is not found.
const Aggref* half_with_arguments(Plan*& plan, Aggref* aggref);

// The request of a call that saw no row, evaluated where it stands. aggref may be the final half of
// a split aggregate: its first half is looked up in the plan below. False if the aggregate is not
// one whose arguments we know (a user's own, over states): nothing can be said about it.
bool evaluate_request(AggState* parent, Aggref* aggref, Request& request);

}  // namespace idp
