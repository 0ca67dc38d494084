// In which order the groups of a private aggregate come. A hash table gives them in one that
// follows from that in which rows came, and from groups that are not shown: it would tell, without
// noise, of hidden rows. So groups of hidden rows are sorted by their keys: as PrivateAnswers keeps
// them (answers/node.h), or by the aggregation itself.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/plannodes.h"
}

namespace idp {

// Before and after planning: grouping sets over hidden tables are planned without hash tables.
int begin_sorting_groups(Query* query);
void end_sorting_groups(int level);

// Whether groups come from an aggregation in an order that follows from their keys alone.
bool has_sorted_groups(const Agg* plan);

}  // namespace idp
