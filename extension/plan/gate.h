// The gate of a hidden table: the condition idp.approved(), which the policy of the table puts over
// each scan of it. It is never true: what is approved (access/approval.h) has it taken out.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// The function; invalid if the extension was not updated yet.
Oid gate_function();

bool is_gate(const Node* condition);

// Whether it is among the conditions of a scan of a table, as one of its own. Anywhere else it is
// what somebody wrote there, and a function that fails.
bool has_gate(const Plan* scan);

// The conditions of a node but for the gates.
List* conditions_besides_gates(const Plan* plan);

// Whether row security lets queries that are approved see all rows of the table: its policies are
// the gate and what is always true.
bool shows_all_rows(Oid table);

}  // namespace idp
