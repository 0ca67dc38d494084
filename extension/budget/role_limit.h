// Limits of roles: how much of the budget of an account a role, with its members, may spend.
//
// Who asks has up to three roles: the current one; the one that SET ROLE chose, which stays behind
// where a function is SECURITY DEFINER; and the one of the session. All of them are bound, so that
// nobody escapes a limit by taking on another role. The role of the session is by the limits of
// those whose rights it has, and not of those it is a member of to take them on only: they are the
// users of a pool, who have nothing to do with each other.
#pragma once

#include "extension/pg/pg.h"

#include "extension/budget/balance.h"

namespace idp {

// The limit that leaves who asks least.
struct RoleLimit {
  const char* role = nullptr;  // null if none holds for who asks
  Datum budget = 0;            // numeric
  Datum spent = 0;             // likewise: by the role and its members
};

// Of those that hold for who asks: of the own roles, and of those they are members of. What was
// spent before the present period of the balance, the account's, does not count. whole: an account
// whose limits hold for this one too, each for what is charged to this one; 0 if there is none. To
// be asked while the account is locked.
RoleLimit least_limit(int32 account, int32 whole, const Balance& balance);

// A limit of the account that binds a role and not who asks; null if there is none.
const char* limit_of_another(int32 account, Oid reader);

}  // namespace idp
