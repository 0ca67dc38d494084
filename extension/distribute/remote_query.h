// What RemoteRows asks for, in SQL: the columns that a scan needs of a table, each different row of
// them once with how often it is there, of the rows that fulfil conditions which any server decides
// alike. These fail for no value: nothing of how the other server fares tells of rows.
#pragma once

#include "extension/pg/pg.h"

#include "extension/distribute/bounded_sums.h"

extern "C" {
#include "nodes/plannodes.h"
#include "utils/rel.h"
}

namespace idp {

// What comes of a column that is added up, before the sums: how many values there are, unless each
// row has one or the sums tell; and the least and the greatest of them, where they matter.
// Otherwise the stand-in is one, which no value is less than as the sums see them.
struct SummedValues {
  int column;
  bool is_counted;
  bool is_counted_by_sums;
  bool has_ends;
  Datum stand_in;

  int columns() const { return (is_counted ? 1 : 0) + (has_ends ? 2 : 0); }
};

// One of several tables that a statement reads.
struct RemotePart {
  const Scan* scan;
  Relation table;
};

// A column of one of these, which is counted from 0; of none if its number is 0.
struct RemoteColumn {
  int part;
  int column;
};
struct RemoteEquality {
  RemoteColumn left;
  RemoteColumn right;
};

// Groups that are made on the other servers, instead of rows; of one table, or of several that are
// joined there.
struct RemoteCall {
  Oid function;  // an aggregate of the server's
  Oid type;      // of its value
  int part;      // whose columns it takes
  Node* value;   // made of these, those of range table entry 1; null if it counts rows
};
struct RemoteGroups {
  List* joins;     // of RemoteEquality
  List* keys;      // of RemoteColumn
  List* calls;     // of RemoteCall; their values follow the keys
  int sorted;      // by how many columns; 0 if groups come in any order
  AttrNumber* by;  // these, counted from 1 among the keys
  Oid* operators;
  Oid* collations;
  bool* nulls_first;
};

struct RemoteQuery {
  char* text;
  char* from;       // of it: what it is asked of
  char* condition;  // likewise, behind WHERE; or null
  List* columns;    // of int: the numbers of the columns that its rows have, in their order
  bool has_counts;  // whether a count follows, of bigint: how many rows of the table each row is
  List* summed;     // of SummedValues, which follow then, and behind all of these the sums, as
                    // text; NaN is left out of them
  List* rest;       // the conditions that are left for this server
};

// Refuses columns of the system, which other servers have of their own. parameters: those of the
// statement, or null.
// sums: of RemoteSum, of columns that no condition names which is left for this server.
RemoteQuery remote_query(const Scan* scan, Relation table, ParamListInfo parameters, List* sums);

// Whether rows of the table can be put together, and values of a column added up, so that
// conditions and columns come out the same.
bool can_be_summed(const Scan* scan, Relation table, ParamListInfo parameters, int column);

// What is asked for groups that can be made there.
char* remote_groups(const RemotePart* parts, int count, ParamListInfo parameters,
                    const RemoteGroups& groups);

// Whether groups can be made there of all rows that the scans give, and come out the same.
bool can_be_grouped(const RemotePart* parts, int count, ParamListInfo parameters,
                    const RemoteGroups& groups);

// The conditions of a scan that are left for this server.
List* conditions_left(const Scan* scan, ParamListInfo parameters);

}  // namespace idp
