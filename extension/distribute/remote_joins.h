// Joins of tables whose rows lie in other servers, that can be made there: below groups that are
// (remote_groups.h). Inner ones, of tables of Citus that one owner has, by columns that are equal.
//
// Citus has rows together that are joined: those of tables that are distributed alike, by the
// columns that are equal, and those of reference tables, which each server has. So it makes the
// same join, row for row.
#pragma once

#include "extension/pg/pg.h"

#include "extension/distribute/remote_query.h"

extern "C" {
#include "nodes/execnodes.h"
}

namespace idp {

struct RemoteJoin {
  List* parts;  // of PlanState: RemoteRows
  List* joins;  // of RemoteEquality
};

// Reads a node and what is below it, one table or several. False if it is anything else.
bool read_join(PlanState* node, RemoteJoin& join);

// The column of a part that an output of such a node is; of none if it is no column.
RemoteColumn column_below(const RemoteJoin& join, PlanState* node, int output);

}  // namespace idp
