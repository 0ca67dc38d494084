// Which of the releases that have one name over a table is meant.
//
// Names are those of a role, and releases are shared all the same: who asks the question of
// somebody else's release, by its name, gets that one. Who asks another question begins one of her
// own. So nobody can spoil a name for others by taking it first, not for the groups of a query
// either, where an error would tell of them.
#pragma once

#include "extension/pg/pg.h"

#include "extension/release/same_question.h"

namespace idp {

// For a question: that of the current role, which binds it, whatever that is of; unless it has not
// begun and another one has. Of other roles those alone that it may read, and that are of the
// same question. Null if there is none.
StoredChain* chain_for(const Asked& asked, Oid table, const char* name);

// Whether one that has begun answers what another one, which was refreshed, waits to be asked.
bool takes_place_of(const StoredChain& begun, const StoredChain& waiting);

// Without a question, of several that have one name over one table: that of the current role, or
// what has taken its place; otherwise that of the owner of the table; otherwise the oldest. Whether
// the first of two is meant rather than the second, which is later.
bool comes_before(const StoredChain& chain, const StoredChain& later);

}  // namespace idp
