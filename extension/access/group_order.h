// In which order the groups of a private aggregate come. A hash table gives them in one that
// follows from that in which rows came, and from groups that are not shown: it would tell, without
// noise, of hidden rows. So groups of hidden rows are sorted by their keys.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/plannodes.h"
}

namespace idp {

// Before and after planning: grouping sets over hidden tables are planned without hash tables.
int begin_sorting_groups(Query* query);
void end_sorting_groups(int level);

// In a plan that is about to be executed: where it hashes groups, puts a sort below instead.
void sort_groups(Agg* plan, const PlannedStmt* statement);

// Whether groups come in an order that follows from their keys alone.
bool has_sorted_groups(const Agg* plan);

}  // namespace idp
