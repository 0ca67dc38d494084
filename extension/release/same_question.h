// Whether what is asked for under a name is what the name stands for.
#pragma once

#include "extension/pg/pg.h"

#include "extension/call/bound_call.h"
#include "extension/release/chain_rows.h"

namespace idp {

// What is asked for now, beside what the release stands for.
struct Asked {
  const BoundCall* call;
  const Request* request;
  Oid result;
  const char* condition;  // which rows; null: not known
};

// By the call for the current group. Its condition is null if a value of the group cannot be
// printed.
Asked what_is_asked(BoundCall* call, const Request* request, Oid result);

// Whether the release stands for this question, as far as it is known.

bool is_same(const StoredChain& chain, const Asked& asked);
// Reports an error, which says what differs, unless the release stands for this question.
void require_same(const StoredChain& chain, const Asked& asked);

}  // namespace idp
