// Whether what an expression calls has the same value whenever it gets the same arguments, while
// one query runs.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether a function's value may depend on more than its arguments, the settings of the session and
// the time of the query. Unstable are volatile functions, stable ones of users, and those stable
// ones of the server that are not listed: some of these read tables (table_to_xml) or count rows
// (pg_stat_get_live_tuples). A callback of check_functions_in_node().
bool is_unstable(Oid function, void*);

// Whether a node of an expression, apart from what is below it, is unstable: for its functions, as
// a cast to a domain, whose conditions may call anything, or as one of a kind that is not known.
bool is_unstable_node(Node* node);

}  // namespace idp
