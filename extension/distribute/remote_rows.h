// The executor's side of RemoteRows: a scan of one table whose rows lie in other servers. Read for
// the first time, it asks for them in SQL, with the rights of the table's owner, and whoever plans
// SQL over that table here plans it: Citus, postgres_fdw. What comes back is kept, and given as the
// rows of the table: each so often as it is there.
//
// All that is known of a query over rows of this server is known over these: what is asked, by
// whom, and what is charged is settled before the first row is asked for.
#pragma once

#include "extension/pg/pg.h"

#include "extension/distribute/bounded_sums.h"

extern "C" {
#include "nodes/execnodes.h"
#include "utils/tuplestore.h"
}

namespace idp {

// Makes the node known to the server. Once, before any plan holds it.
void register_remote_rows();

// Whether a node is one.
bool is_remote_rows(const PlanState* node);

// Asks for the rows of all that are below a node, before the first row is read there: whether a
// table is asked for does not depend on rows of another one.
void ask_all_remote_rows(PlanState* node);

// Who takes the row that was given last as often again as it is there: more > 0 times. False if it
// has to be given so often.
struct Repeater {
  bool (*repeat)(int64 more, Repeater* repeater);
};
void set_repeater(PlanState* node, Repeater* repeater);

// Who asks for the rows of several nodes together, instead of each. False if it does not: then each
// asks for its own. Called once for each of them at most, whose rows were not set.
struct JointAsker {
  bool (*ask)(JointAsker* asker);
};
void set_asker(PlanState* node, JointAsker* asker);

// What such a one does. Before it asks: reports an error if the node may not.
void require_approval(PlanState* node);
// The columns of rows that have one column of the table, and how often it is there.
TupleDesc counted_column(PlanState* node, int column);
// Gives these to the node: whatever conditions it has, they fulfil.
void set_rows(PlanState* node, Tuplestorestate* rows);

// Of a scan of a table of Citus: has it give one row for all values of some columns, with the least
// of each or what stands for it, and add these up. sums: of RemoteSum (bounded_sums.h). Its
// repeater never says no.
bool can_be_summed(const PlanState* node, int column);
void add_up(PlanState* node, List* sums);

// Of the row that was given last: how many values of a column it stands for, and their greatest, if
// the least was given. Otherwise one was that no value is less than.
struct SummedColumn {
  int64 count;
  bool has_ends;
  Datum greatest;
};
SummedColumn summed_column(PlanState* node, int column);
// What a sum is, by its place among these.
BoundedValues remote_sum(PlanState* node, int place);

// Has the first of some nodes give groups that are made where the rows lie, by next_group() and in
// no other way, and the others nothing: they are joined there. parts: of PlanState.
struct RemoteGroups;
bool can_be_grouped(const List* parts, const RemoteGroups& groups);
void set_groups(List* parts, RemoteGroups* groups);
RemoteGroups* groups_of(const PlanState* node);  // or null
// The next one, its keys and then what is computed of it; null if there are no more.
TupleTableSlot* next_group(PlanState* node);
void restart_groups(PlanState* node);

}  // namespace idp
