// The gate of a hidden table: the condition idp.approved(), which the policy of the table puts over
// each scan of it, on workers of a cluster too. It is never true: what is approved
// (access/approval.h) has it taken out.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// The function; invalid if the extension was not updated yet.
Oid gate_function();

// Whether a condition is the gate, or the gate OR others, as permissive policies of the owner's
// make it: what opens the gate makes all of it true.
bool is_gate(const Node* condition);

// Whether the gate stands somewhere in an expression.
bool contains_gate(Node* expression);

// Whether a query names the gate elsewhere than where row security puts it: in the conditions of
// policies, for rows that are read and for rows that are written. Somebody wrote it there, and what
// it is joined with by OR would be taken for a part of it.
bool has_written_gate(Query* query);

// Whether a policy of the table has the gate: as of now, whatever snapshot the query has, and
// whether or not row security is enabled.
bool has_gate_policy(Oid table);

// Whether any table has such a policy.
bool any_gate_policy();

// Whether it is among the conditions of a scan of a table, as one of its own. Anywhere else it is
// what somebody wrote there, and a function that fails.
bool has_gate(const Plan* scan);

// Whether a scan of a plan that runs has no gate, or one that was opened. One that is shut is never
// passed: what is behind it is never executed.
bool is_gate_open(const PlanState* scan);

// Conditions but for the gates among them, and those of a node.
List* without_gates(const List* conditions);
List* conditions_besides_gates(const Plan* plan);

// Whether row security lets queries that are approved see all rows of the table: its policies are
// the gate and what is always true.
bool shows_all_rows(Oid table);

}  // namespace idp
