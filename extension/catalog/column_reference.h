// Type idp.column_reference: a column of a table by its number, which it keeps whatever it is
// called and which no later column gets. A dump has its name, as another database numbers columns
// anew.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// An invalid number stands for a column that is gone.
Datum column_reference(Oid table, AttrNumber number);

// The number of the column, if it is one of this table and was not dropped; invalid otherwise.
AttrNumber number_in(Oid table, Datum reference);

}  // namespace idp
