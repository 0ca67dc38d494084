// Native aggregations below private answers, computed where the rows lie: of many rows of a person
// one comes over.
//
// Such a one reads a table whose rows lie in other servers and nothing else, or several that are
// joined there (remote_joins.h), all of whose conditions are sent or read its keys alone. It groups
// by columns whose equal values are the same, and counts rows or values, adds up whole numbers or
// numeric ones with a scale, or takes their least or greatest: what comes out the same in whatever
// order, and in parts, and on each server. So the groups and their values are those that this
// server would compute of the rows, to the last bit. They are given as the aggregation would give
// them, its HAVING and what it makes of them computed here, and sorted here where it reads sorted
// rows: the order of texts is that of this server. The plan stays as it was, and was checked.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/execnodes.h"
}

namespace idp {

// Has all of these at a node and below it computed there. When the executor has started, below a
// node that draws once.
void group_remotely(PlanState* node);

}  // namespace idp
