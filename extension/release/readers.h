// Who may see a release.
#pragma once

#include "extension/pg/pg.h"

#include "extension/release/chain_rows.h"

namespace idp {

// Whether the current role may see answers of such a release, and refine it: who began it, and who
// may read, in all rows of the table, the columns it is about. If they are not known, that is all
// columns; if there are none, any will do.
bool may_read(Oid table, const char* role, const UsedColumns& columns);
bool may_read(const StoredChain& chain);
// Reports an error unless it may.
void require_readable(const StoredChain& chain);

// Reports an error unless the current role may have a finer answer than was given, charged to these
// accounts: it needs the right to read what the release is about, in all tables; where no account
// pays, in all of their rows. Who began it has read answers, maybe through a view with the rights
// of its owner, who decided on their epsilon, and may have had rights since lost. Of a table that
// is gone the owner of the account that it left may have them.
void require_payable(const StoredChain& chain, List* accounts);

// Whether the current role may see what another one asked for in words: the condition of a release
// may name other columns than the one that is aggregated.
bool may_see_condition(const StoredChain& chain);

}  // namespace idp
