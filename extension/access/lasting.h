// What an expression over hidden rows names, and the server looks up again for single rows: it must
// not go away, or become another, between the start of the query and the last row. A role that asks
// can drop what is its own while its query is open, and an error would come for some rows and not
// for others. So operators and collations are those of superusers, and types these or what columns
// of the tables have that hidden rows, or others beside them, are read of: these are not his.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/execnodes.h"
}

namespace idp {

bool is_lasting_collation(Oid collation);
bool is_lasting_operator(Oid op);

// Values of an enum are looked up beforehand where a column has it (eager_opens.h), so that of
// others none is.
bool is_lasting_type(Oid type, const EState* state);

// Whether it, and what it is made of, is of a role that all hidden rows of a query are shown to:
// who owns a type can drop it with the columns that have it, while they are read.
bool is_type_of_owner(Oid type, const EState* state);

}  // namespace idp
