// The account that a table has by itself, active or not.
#pragma once

#include "extension/pg/pg.h"

#include "extension/budget/past.h"
#include "extension/catalog/account_rows.h"

namespace idp {

// The account that protecting a table is about: its own, which may be what it kept as a partition
// that was detached, or one that waits for a table of its name and owner, before its own if that
// has ended and this has not. A superuser takes over that of any owner. Null if there is none.
AccountRow* account_to_take(Oid table, const char* owner);

// The other accounts that wait for this table, and that protecting it lets count for its own: they
// end. Those of units do not, whose rows are in other tables.
void end_waiting(Oid table, const char* owner, int32 taken);

// Lets a table that has got its name take the account that waits for that, of a dropped table of
// the same owner, if nothing is known to have been asked about its rows before. Otherwise nothing
// is answered about it until its owner says what holds.
void take_waiting_account(Oid table);

// Its own account, or one that is made for what a table has lost that is not protected any more: it
// is not active, has these neighbours, and counts once the table is protected again.
int32 account_of_past(Oid table, Neighbours neighbours);

// What accounts that have ended were charged about rows of a table, as parts of it or of what it is
// a part of, counts for one that begins.
void take_over_past(Oid table, const AccountRow& account, Past past);

// An account, active or ended, that was charged for answers about rows of a table.
struct AccountAbout {
  const AccountRow* row;
  // Whether it was by a link, which stays when the account ends: one unit may have had any number
  // of these rows.
  bool by_link;
};

// All of them, as pointers: the accounts of the table, of its parts and of what it is a part of,
// those that any of these is or was linked to, and those that wait for one of these.
List* accounts_about(Oid table);
// The same without those of its parts alone, and of what it is a part of alone.
List* accounts_about_whole(Oid table);
List* accounts_about_parts(Oid table);

}  // namespace idp
