// Whose rows a query reads: a function that is declared STABLE or IMMUTABLE reads with the snapshot
// of the query that calls it, which may be as old as a cursor that is open since the morning. What
// such a function asks is about the rows of then.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "executor/execdesc.h"
}

namespace idp {

// Notes a query that starts, with its snapshot, until it ends.
void note_snapshot(QueryDesc* query);

// Those that have not ended, in one session.
void for_each_open_query(void (*work)(QueryDesc*));

// Whether a query that has not ended reads with the same snapshot, which it had first, and other
// transactions may have ended since it was taken.
bool reads_with_old_snapshot(const EState* state);

}  // namespace idp
