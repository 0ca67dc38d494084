// What was charged for each asker of an account.
//
// An asker is three roles by their names: the current one, the one that SET ROLE chose, and the one
// of the session (role_limit.h). Each charge holds the total of its asker, itself included, beside
// that of the account. It is one row, written under the account's lock: totals are as safe from
// crashes and races as the charges they sum up. So a limit reads one row or two of each asker,
// however many charges there are, and decides anew each time which askers it is for: memberships
// change. Who cannot create roles cannot make more askers either.
//
// Rows of an earlier version, from a dump, have no total: they are added up, to the last that has
// one.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether the ledger has totals of askers: not before the extension is updated.
bool has_asker_totals();

// Who asks now, as idp.charge has it: text[].
Datum present_asker();

// All askers that something was charged for. A list of ArrayType*.
List* askers_of(int32 account);

// What was charged for one of them up to an entry, that one included: numeric.
Datum total_of_asker(int32 account, const ArrayType* asker, int64 entry);

}  // namespace idp
