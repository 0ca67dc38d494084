// What the named calls of a query may cost at most. It is known before a row is read, so that a
// budget that does not suffice ends the query then, whatever groups there are.
#pragma once

#include "extension/pg/pg.h"

#include "core/sensitivity/neighbours.h"
#include "extension/call/bound_call.h"

namespace idp {

struct Reservation {
  BoundCall* call;
  Node* name;
  List* accounts;
  const pg_uuid_t* family;  // what is refined; null: a new one begins for each grouping set
  bool grouped;             // of that family
  Neighbours drawn;         // likewise: what its noise is for
};

// Null if the call costs nothing. Reports an error if its name, where that is one for all groups,
// stands for another question, or for a release one may not read.
Reservation* reservation_of(BoundCall* call);

// Whether a stored release may be that of a group: then the call may cost nothing.
bool may_repeat(const BoundCall* call);

}  // namespace idp
