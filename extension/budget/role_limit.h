// Limits of roles: how much of the budget of an account a role, with its members, may spend.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "datatype/timestamp.h"
}

namespace idp {

// The limit that leaves the current role least.
struct RoleLimit {
  const char* role = nullptr;  // null if none holds for the current role
  Datum budget = 0;            // numeric
  Datum spent = 0;             // likewise: by the role and its members
};

// Of those that hold for the current role: its own, and those of roles it is a member of. What was
// spent before that time does not count. whole: an account whose limits hold for this one too, each
// for what is charged to this one; 0 if there is none. To be asked while the account is locked.
RoleLimit least_limit(int32 account, int32 whole, TimestampTz starts);

}  // namespace idp
