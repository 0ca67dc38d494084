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
  const char* condition;
};

// Reports an error, which says what differs, unless the release stands for this question.
void require_same(const StoredChain& chain, const Asked& asked);

}  // namespace idp
