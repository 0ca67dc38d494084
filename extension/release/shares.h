// The rows of idp.share: to whom a release was given, and at which level of epsilon.
//
// These are rights, like those of GRANT: ordinary rows, which a ROLLBACK takes back. The level that
// was drawn and charged for stays. Roles are known by name, as in the ledger.
#pragma once

#include "extension/pg/pg.h"

#include <span>

namespace idp {

// The level that the current role may see: the one with the largest epsilon of those given to it
// and to the roles whose rights it has. Null if there is none.
ArrayType* level_given(const pg_uuid_t& chain);

// Whether these epsilons are none larger than those of a level that it was given.
bool is_given(const pg_uuid_t& chain, std::span<const double> epsilons);

// An array of double precision as it is stored.
std::span<const double> numbers_of(ArrayType* array);

// Gives a role a level instead of the one that it has; no epsilons take that back.
void give(const pg_uuid_t& chain, const char* role, std::span<const double> epsilons);

// Takes back what all roles have: the release is deleted.
void take_back(const pg_uuid_t& chain);

}  // namespace idp
