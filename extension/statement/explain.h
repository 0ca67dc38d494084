// What EXPLAIN says of private answers: what is asked for, how it is drawn, and who pays for it.
#pragma once

#include "extension/state/running_query.h"

namespace idp {

// Tells the nodes of answers, of PlanState, what EXPLAIN prints of them. The calls of the query are
// bound, and their accounts known.
void explain_answers(const RunningQuery& query, const List* nodes);

}  // namespace idp
