// The account that a table has by itself, active or not.
#pragma once

#include "extension/pg/pg.h"

#include "extension/budget/past.h"
#include "extension/catalog/account_rows.h"

namespace idp {

// The account that protecting a table is about: its own, which may be what it kept as a partition
// that was detached, or one that waits for a table of its name and owner. A superuser takes over
// that of any owner. Null if there is none.
AccountRow* account_to_take(Oid table, const char* owner);

// That account, or one that is made for what a table has lost that is not protected any more: it is
// not active, has these neighbours, and counts once the table is protected again.
int32 account_of_past(Oid table, Neighbours neighbours);

// What accounts that have ended were charged about rows of a table, as parts of it or of what it is
// a part of, counts for one that begins.
void take_over_past(Oid table, const AccountRow& account, Past past);

// The numbers of all accounts that were charged for answers about rows of a table by itself: its
// own, those of its parts, and those of what it is a part of.
List* accounts_about(Oid table);

}  // namespace idp
