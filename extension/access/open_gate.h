// Opening the gates of an approved plan: the condition idp.approved() is taken out of its scans, so
// that an approved query pays nothing for it. The plan itself, which may be kept for later
// executions, stays as it is.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

void open_gate(PlanState* scan);

// All of the plan: of the part of a parallel worker, whose leader has had the whole approved.
void open_all_gates(PlanState* node);

}  // namespace idp
