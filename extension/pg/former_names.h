// What the catalogs said of a table before the running transaction changed it.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// The owner of a table that this transaction has dropped; null if it is not known.
char* owner_at_drop(Oid table);

// Whether a table had a qualified name that this transaction has taken from it: by a new one of the
// table or of its schema, or by another schema.
bool had_name(Oid table, const char* qualified_name);

}  // namespace idp
