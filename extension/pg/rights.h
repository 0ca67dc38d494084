// By whose rights the entries of a query are read. From PostgreSQL 16 on they stand in a list of
// their own beside the range table; before, in the entries themselves.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/execnodes.h"
#include "nodes/parsenodes.h"
}

namespace idp {

// Those of an entry, as the server notes them.
#if PG_VERSION_NUM >= 160000
using Rights = RTEPermissionInfo;
#else
using Rights = RangeTblEntry;
#endif
const Rights* rights_of(const Query* query, const RangeTblEntry* entry);

// The role by whose rights a running query reads an entry: of a view, its owner. Invalid if it is
// who asks.
Oid reader_of(EState* state, const RangeTblEntry* entry);

// The query has this entry alone, and reads those columns of it by the rights of who asks. rights:
// what it had in another query.
void read_by_own_rights(Query* query, RangeTblEntry* entry, const Rights* rights,
                        Bitmapset* columns);

// The query, which is new to the table of the entry, reads it by the rights of a role.
void read_by_rights_of(Query* query, RangeTblEntry* entry, Oid role);

// An entry of one query stands in another now.
void move_rights(Query* to, const Query* from, RangeTblEntry* entry);

// Those of one query are those of another, too; a query has none any more.
void share_rights(Query* to, const Query* from);
void drop_rights(Query* query);

// All entries of another query follow those of this one, with their rights.
void append_entries(Query* query, Query* other);

}  // namespace idp
