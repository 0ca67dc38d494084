// Copies of queries within a statement that is rewritten: for each row of a list, for each place
// that reads a CTE, with and without a window. Copies of copies multiply with each level, so a
// short statement could take all memory. So a statement has room for so many, by its own length.
//
//   CopyRoom outer = begin_copies(statement);
//   …  Query* part = copy_of(query);  …
//   end_copies(outer);                             also after an error
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

// What is left: nodes of copies, and entries of their range tables.
struct CopyRoom {
  int64 nodes;
};

CopyRoom room_for_copies();
// Of the statement that is planned from here on; another may be planned within.
void begin_copies(Query* statement);
void end_copies(CopyRoom outer);

// An error where there is no room left for it.
Query* copy_of(const Query* query);

// Entries of the range tables of a query, and of all within.
int64 entries_within(const Query* query);

}  // namespace idp
