// What a statement may take while it is understood, by its own length, so that a short one cannot
// take all memory, or end never:
//
// - copies of queries: for each row of a list, for each place that reads a CTE, with and without a
//   window. Copies of copies multiply with each level.
// - steps of walks that follow columns to where their values come from. i + i in each of forty
//   CTEs, one over the other, is 2^40 of them.
//
//   const StatementRoom outer = room_of_statement();
//   begin_room(statement);
//   …  Query* part = copy_of(query);  …  column_shown(query->targetList, number)  …
//   end_room(outer);                               also after an error
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

// What is left.
struct StatementRoom {
  int64 nodes;  // of copies, and entries of their range tables
  int64 steps;
};

StatementRoom room_of_statement();
// For the statement that is planned, or starts, from here on; another may within. statement: null
// of one that is planned already.
void begin_room(Query* statement);
void end_room(StatementRoom outer);

// An error where there is no room left for so much. For what is no copy of a query.
void take_room(int64 nodes);
// Likewise for the copy.
Query* copy_of(const Query* query);

// A step of a walk; likewise. It hears a cancel.
void take_step();

// The entry of a target list that shows a column, by its number, to what is above; null if none
// does. A step.
TargetEntry* column_shown(const List* targets, AttrNumber number);

// Nodes of a query, and of all within, with entries of range tables.
int64 nodes_within(const Query* query);
// Entries of the range tables of a query, and of all within.
int64 entries_within(const Query* query);

}  // namespace idp
