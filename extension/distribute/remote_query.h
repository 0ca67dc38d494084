// What RemoteRows asks for, in SQL: the columns that a scan needs of a table, each different row of
// them once with how often it is there, of the rows that fulfil conditions which any server decides
// alike. These fail for no value: nothing of how the other server fares tells of rows.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/plannodes.h"
#include "utils/rel.h"
}

namespace idp {

struct RemoteQuery {
  char* text;
  List* columns;    // of int: the numbers of the columns that its rows have, in their order
  bool has_counts;  // whether they end with a count, of bigint: how many rows of the table each is
  List* rest;       // the conditions that are left for this server
};

// Refuses columns of the system, which other servers have of their own. parameters: those of the
// statement, or null.
RemoteQuery remote_query(const Scan* scan, Relation table, ParamListInfo parameters);

}  // namespace idp
