// Making a bound call when the executor starts: finding its arguments in the plan, checking that
// they are known before a row is read, and evaluating them, once.
//
// PostgreSQL calls an aggregate for the first time with its first row, which may never come: then
// `… FILTER (WHERE name = 'Bob')` with a wrong epsilon would fail or not depending on whether Bob
// is there.
#pragma once

#include "extension/pg/pg.h"

#include "extension/call/bound_call.h"
#include "extension/plan/plan_trace.h"

namespace idp {

// The call in the current memory context, which lives as long as the query; it has no request if
// the aggregate is not one whose arguments are known (a user's own, over states), or if the query
// is explained before its parameters have values. Reports an error unless the arguments keep the
// rules. The aggregate may be the half that combines: then its first half is looked up in the plan
// below.
BoundCall* bind_call(AggState* node, Aggref* aggref);

// The call as it stands over rows, with its arguments, in what the node then is: it may be the
// final half of a split aggregate, whose first half is looked up in the plan below. An error if
// that is not found.
const Aggref* half_with_arguments(PlanNode& node, Aggref* aggref);

// The request of a call that saw no row, in a plan that did not start as a query does. False: as
// above.
bool evaluate_request(AggState* node, Aggref* aggref, Request& request);

}  // namespace idp
