// A column of a query whose values everybody may know, and which of them it may have.
#pragma once

#include "extension/domain/domain.h"
#include "extension/pg/pg.h"

namespace idp {

struct KeyColumn {
  const Var* column;  // of the query
  char* name;         // that it has there
  AttrNumber origin;  // its number in the table whose domain it has
  Oid table;
  Keys keys;
  bool may_be_null;  // whether NULL is a key
  bool is_shown;     // whether it is grouped by as it is, not by what is computed of it
  Index entry = 0;   // where it stands in rows of keys (key_table.h)
  AttrNumber place = 0;

  int count() const { return keys.count + (may_be_null ? 1 : 0); }
};

}  // namespace idp
