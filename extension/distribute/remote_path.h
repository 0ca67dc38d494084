// The planner's side of RemoteRows: a query over protected tables whose rows lie in other servers
// is planned here, as if they lay in this one, and a node asks for the rows of each.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"
#include "optimizer/paths.h"
}

namespace idp {

// Whether the query that is being planned asks for private answers about such tables: then no other
// extension plans it, as nothing that another server makes of rows could be charged here.
bool is_planned_here();

// Begins to plan a query, within which others may be planned: whether that is so of it. Then what
// other extensions have hooked into the planning of joins is left out, until it ends.
struct PlannedHere {
  bool before;
  set_join_pathlist_hook_type joins;
};
PlannedHere begin_planning(bool here);
void end_planning(const PlannedHere& begun);

// How many rows a table of Citus has for the planner: in this server it is empty.
void guess_remote_rows(RelOptInfo* relation, Oid table);

// Has the rows of a table, if they lie elsewhere, read by the node and in no other way.
void read_remote_rows(PlannerInfo* root, RelOptInfo* relation, const RangeTblEntry* entry);

}  // namespace idp
