// Who may see a release.
#pragma once

#include "extension/pg/pg.h"

#include "extension/release/chain_rows.h"

namespace idp {

// Whether the current role may see answers of such a release, and refine it: who began it, and who
// may read that column of all rows of the table. column as in idp.chain; empty: any column will do.
bool may_read(Oid table, const char* role, const char* column);
// Reports an error unless it may.
void require_readable(const StoredChain& chain);

// Whether the current role may see what another one asked for in words: the condition of a release
// may name other columns than the one that is aggregated.
bool may_see_condition(const StoredChain& chain);

}  // namespace idp
