// Work whose failure is no error: what the rows of one group decide must not end the query, because
// an error would tell that the group is there, and nothing would be charged for that.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Runs work in the current memory context. False if the server reported an error in it, of which
// nothing is left; a cancelled query and a server that stops are reported as ever.
//
// It takes no subtransaction, which the leader of a parallel plan may not begin. So the work may
// print values and look into caches, and set settings for itself, no more: what it takes from
// caches is given back.
bool succeeds(void (*work)(void* argument), void* argument);

// Calls a function of the server, for each row. False if it reported an error; a cancelled query
// and a server that stops are reported as ever. The function may do nothing but compute in memory of
// the current context, since nothing else is given back.
bool computes(FunctionCallInfo call, Datum* result);

}  // namespace idp
