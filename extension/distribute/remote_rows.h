// The executor's side of RemoteRows: a scan of one table whose rows lie in other servers. Read for
// the first time, it asks for them in SQL, with the rights of the table's owner, and whoever plans
// SQL over that table here plans it: Citus, postgres_fdw. What comes back is kept, and given as the
// rows of the table: each so often as it is there.
//
// All that is known of a query over rows of this server is known over these: what is asked, by
// whom, and what is charged is settled before the first row is asked for.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/execnodes.h"
}

namespace idp {

// Makes the node known to the server. Once, before any plan holds it.
void register_remote_rows();

// Whether a node asks at present: what is planned and executed meanwhile is its statement, which
// sees the rows of its table whoever else does not.
bool asks_remote_rows();

// Whether a node is one.
bool is_remote_rows(const PlanState* node);

// Who takes the row that was given last as often again as it is there: more > 0 times. False if it
// has to be given so often.
struct Repeater {
  bool (*repeat)(int64 more, Repeater* repeater);
};
void set_repeater(PlanState* node, Repeater* repeater);

// Refusals while a query is planned.
[[noreturn]] void refuse_unknown_distribution(Oid table);
[[noreturn]] void refuse_remote_sample(Oid table);

}  // namespace idp
