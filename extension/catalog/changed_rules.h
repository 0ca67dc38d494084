// Rules of privacy that the running transaction has changed.
//
// Rules are rows of ordinary tables, which a ROLLBACK takes back; what answers cost is never taken
// back (store.h). Answers that were charged under the new rules would count under the old ones,
// where they may mean more, or have no bound at all. So a transaction that changed what was
// promised before it gets no answers that are charged.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Told where a promise ends, or begins to mean something else: not where a first one begins.
void note_changed_rules();

// Refuses if the transaction has changed rules, also where a savepoint took that back.
void require_unchanged_rules();

}  // namespace idp
