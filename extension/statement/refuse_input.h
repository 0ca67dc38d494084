// Why a private aggregate of a protected table is not answered, as errors.
#pragma once

#include "extension/pg/pg.h"

#include "extension/call/bound_call.h"
#include "extension/plan/problem.h"

namespace idp {

// Reports that a call cannot be answered over such rows.
[[noreturn]] void refuse_input(const BoundCall& call, const Problem& problem);

// Reports that one unit may have any number of the rows that a call reads.
[[noreturn]] void refuse_unbounded(const BoundCall& call, const struct Account& account);

// The protected table of a message.
const char* table_text(List* accounts);

}  // namespace idp
