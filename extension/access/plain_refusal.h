// What a refusal says to whoever writes plain SQL: which aggregates are answered over hidden rows,
// and why this one is not.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// In place of rows. columns: names of those whose keys are declared.
const char* way_to_ask_plainly(const List* columns);

// In place of an aggregate of the server that did not become private (extension/rewrite).
const char* way_without_plain(const Aggref* plain);

// Whether it is for the rest of the query that it did not.
bool can_be_answered(const Aggref* plain);

// The private aggregate that answers the same, where plain ones are refused. Null if there is none.
const char* way_to_write_privately(const Aggref* plain);

}  // namespace idp
