// What EXPLAIN counts beside rows: BUFFERS, WAL, MEMORY. VACUUM (VERBOSE) and ANALYZE (VERBOSE)
// count some of it, too.
//
// The server keeps what it has looked up, compiled or opened for the session, and some of that is
// done only when a row needs it: the name of an enum's value, how values are sorted on the side of
// a join that is read if the other has a row, the first temporary file of a transaction. A later
// statement that needs the same reads a page for it, or does not. So nothing of the kind is counted
// in a session that has read hidden rows, from then on. debug_messages.h has the other way to see
// it. Views of statistics are closed to analysts (idp.close_side_channels).
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// When the library is loaded.
void watch_explain();

// For the rest of the session; before hidden rows are read. An error where EXPLAIN counts for a
// statement of which this query is but a part, as that of a function which it calls.
void end_counting_usage(const QueryDesc* query);

// At the start of a query: has nothing counted for its nodes if it reads hidden rows, or the
// session has read some.
void count_no_usage(QueryDesc* query, bool reads_hidden_rows);

// Once it has started: other extensions may have had its nodes count since.
void keep_counting_nothing(QueryDesc* query);

}  // namespace idp
