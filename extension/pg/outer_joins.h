// Outer joins, which may have NULL in place of rows.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// The numbers of the entries that a part of FROM reads, of int. Views leave others in the range
// table.
List* entries_read(const Node* from);

// The number of the entry that FROM of a query is, without any join; 0 if it is more, or nothing.
int only_entry(const Query* query);

// Whether a part of FROM holds an entry.
bool holds(const Node* from, Index number);

// Whether a part of FROM has a join that is no inner one.
bool has_outer_join(const Node* from);

// Whether NULL may stand in place of the rows of a side of a join.
bool may_lack(const JoinExpr* join, const Node* side);

// Whether an outer join of a query, or of a part of FROM, may have NULL in place of the rows of an
// entry.
bool may_be_absent(const Query* query, Index number);
bool may_be_absent(const Node* from, Index number);

}  // namespace idp
