// What every change to the protection of a table begins and ends with: whose it is, which kind of
// table it is, the lock that keeps queries out, and the lock that hides its rows.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Each reports an error unless the current role owns the table, it lives longer than a session, and
// answers about it can be charged here.
void require_owner(Oid table);
void require_permanent(Oid table);
void require_protectable(Oid table);

// Waits for the queries that read the table now. Later ones wait for the end of the transaction, so
// each sees the table protected, or not, from its beginning to its end.
void lock_out_queries(Oid table, void (*require)(Oid));

// Sets, or takes away, the lock of row security on the table and its parts.
void set_lock(Oid table, bool hidden);

}  // namespace idp
