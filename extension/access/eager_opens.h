// What the server does when the first row needs it, done before rows are read: a lock that somebody
// else holds, or a message, would tell of the row.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Opens what holds the long values of the tables of a query, until it ends; closes them.
void open_long_values(EState* state);
void close_long_values(EState* state);

// Looks up the values of the enums that columns of these tables are of: what compares or prints
// them would do so when it meets them.
void look_up_enums(EState* state);

// Opens a collation. Whether it is of the server, or of a superuser: others can drop theirs at any
// time, and a parallel worker opens it anew.
bool open_collation(Oid collation);

}  // namespace idp
