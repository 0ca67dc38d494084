// What a query would cost: its plan goes through the start of the executor as that of the query
// itself does, with the same checks and the same errors, to a receiver of costs instead of rows.
// It is never executed.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "executor/execdesc.h"
#include "tcop/dest.h"
}

namespace idp {

struct CostReceiver {
  DestReceiver receiver;
  List* costs;  // of Cost (budget/account.h), in the memory of the query
};

// The one that a query was started for; null if it is for anything else.
CostReceiver* cost_receiver(const QueryDesc* query);

}  // namespace idp
