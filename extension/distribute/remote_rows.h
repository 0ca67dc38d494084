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

// Whether a node asks for the rows of a table at present: what is planned and executed meanwhile is
// its statement, with the rights of the table's owner, which reads that table, or shards of it, and
// no other. Functions that are called meanwhile see no more than their own roles do.
bool is_asked_for(Oid table);

// Whether a node is one.
bool is_remote_rows(const PlanState* node);

// Asks for the rows of all that are below a node, before the first row is read there: whether a
// table is asked for does not depend on rows of another one.
void ask_all_remote_rows(PlanState* node);

// Whether a query reads rows of a foreign table after the transaction has asked for such rows: the
// other server may show those of then to the end of the transaction, as that of postgres_fdw does.
bool may_be_of_the_past(EState* state);

// Who takes the row that was given last as often again as it is there: more > 0 times. False if it
// has to be given so often.
struct Repeater {
  bool (*repeat)(int64 more, Repeater* repeater);
};
void set_repeater(PlanState* node, Repeater* repeater);

// Of a scan of a table of Citus: has it give one row for all values of some columns, with the least
// of each, and add these up. sums: of RemoteSum (remote_query.h). Its repeater never says no.
bool can_be_summed(const PlanState* node, int column);
void add_up(PlanState* node, List* sums);

// Of the row that was given last: how many values of a column it stands for, and their greatest.
struct SummedColumn {
  int64 count;
  Datum greatest;
};
SummedColumn summed_column(PlanState* node, int column);
// What a sum is, by its place among these.
const char* remote_sum(PlanState* node, int place);

}  // namespace idp
