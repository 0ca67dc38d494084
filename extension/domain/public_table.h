// Tables that everybody may know: whoever may read them may list what is in them.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether an entry of a range table reads all rows of one: neither it nor a part of it has an
// account or a gate, and no policy chooses rows.
bool is_public_table(const RangeTblEntry* entry);

// Whether who asks may read that column of all rows of a table by rights of his own: what a view
// shows of it to everybody may be less.
bool may_read_column(Oid table, AttrNumber column);

// Whether an entry may read rows of a table that has an account or a gate.
bool may_read_protected(RangeTblEntry* entry);

// Whether the query, or one in it, reads a table whose rows an account hides.
bool reads_hidden_table(const Query* query);

// Whether no outer join of a query has NULL in place of rows of a table that may be protected, but
// beside other such rows.
bool keeps_protected_rows(const Query* query);

}  // namespace idp
