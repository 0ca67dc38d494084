// Limits of roles: how much of the budget of an account a role, with its members, may spend.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// The limit that leaves the current role least.
struct RoleLimit {
  const char* role = nullptr;  // null if none holds for the current role
  Datum budget = 0;            // numeric
  Datum spent = 0;             // likewise: by the role and its members
};

// Of those that hold for the current role: its own, and those of roles it is a member of. To be asked
// while the account is locked.
RoleLimit least_limit(int32 account);

}  // namespace idp
