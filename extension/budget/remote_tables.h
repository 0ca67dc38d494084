// Tables whose rows lie in other servers, and that are protected here: foreign tables that are
// parts of a protected table, and those that Citus distributes. Their rows are asked for in SQL
// (extension/distribute/remote_rows.h).
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

// Whether a table is a foreign one, or one that Citus keeps on its servers: by the hash of a
// column, on one of them, or on each. Of other ways of distributing nothing is known here.
bool has_remote_rows(Oid table);

// Whether a query reads protected tables and, among or beside these, tables of Citus, or a foreign
// table that is protected, at any level; and changes none of Citus.
bool needs_remote_rows(const Query* query);

}  // namespace idp
