// Answers that are kept no longer: what has expired, what there is no room for, what its owner has
// forgotten.
//
// Each that goes is asked anew and charged again, so it does not matter to anybody's privacy which
// these are, but for one thing: the rows of one draw go from the coarsest to the finest (see
// kept_answers.h), in whatever transactions, of which any may be rolled back.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether answers of that time are given again: the least time that one of the accounts says.
bool is_current(const List* accounts, TimestampTz at);

// As one with that key is kept: some that have expired, and those that there are too many of. Keys
// are as good as random, so that a part of them, those that begin alike, stands for all: a part has
// room for so many, of which the least accurate go first, and of these the oldest. A flood of
// answers that cost nearly nothing drives out itself.
void delete_old_answers(bytea* key);

// Those of one draw for less epsilon.
void delete_coarser(bytea* key, TimestampTz at, double epsilon);

}  // namespace idp
