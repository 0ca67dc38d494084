// A second line of defence behind the look at the plan: a charged aggregate that was executed, and
// starts anew, is stopped, because its answers would be drawn again.
#pragma once

#include "extension/pg/pg.h"

#include "extension/call/bound_call.h"
#include "extension/plan/problem.h"
#include "extension/state/query.h"

namespace idp {

inline constexpr Problem kReadAgain = {
    "rows that are read again",
    "Compute the private answer once, in a CTE that is MATERIALIZED, and join it."};

// Reports that a call cannot be answered over such rows.
[[noreturn]] void refuse_input(const BoundCall& call, const Problem& problem);

// Reports that one unit may have any number of the rows that a call reads.
[[noreturn]] void refuse_unbounded(const BoundCall& call, const struct Account& account);

// The protected table of a message.
const char* table_text(List* accounts);

// Watches the nodes of all calls that are charged.
void guard_executions(Query& query);

// Called for each answer: a hash table that is read again does not show otherwise.
void require_first_execution(BoundCall* call);

}  // namespace idp
