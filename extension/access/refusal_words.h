// What errors of hidden tables have in common.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// The first line, for errmsg(): what the role asked for, and what it can do instead. Many clients
// show this line alone.
int hidden_table(Oid table, const char* way_out);

// The columns whose keys are declared, of the table or of one that it is a part of. Of char*.
List* declared_columns(Oid table);

// Names, each in quotation marks, with commas between them.
char* listed(const List* names);

}  // namespace idp
