// What the server does when the first row needs it, done before rows are read: a lock that somebody
// else holds, or a message, would tell of the row.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Locks what holds the long values of the tables of a query, until the end of the transaction.
void lock_long_values(EState* state);

// Opens a collation. Whether it is of the server, or of a superuser: others can drop theirs at any
// time, and a parallel worker opens it anew.
bool open_collation(Oid collation);

}  // namespace idp
