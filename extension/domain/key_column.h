// A column of a query whose values everybody may know, and which of them it may have.
#pragma once

#include "extension/domain/domain.h"
#include "extension/pg/pg.h"
#include "extension/pg/rights.h"

namespace idp {

// One reading of a table that everybody may know: its columns have the values of one row.
struct PublicRows {
  const RangeTblEntry* entry;
  const Rights* rights;  // of the entry in its query
  List* path;            // of int: by which entries of the query, and of those in it, it is reached
  bool may_be_absent;    // whether an outer join may have NULL in place of the row
};

// Whether columns of two readings are of one row; of no reading, likewise.
inline bool are_same_rows(const PublicRows* a, const PublicRows* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->entry == b->entry && equal(a->path, b->path);
}

struct KeyColumn {
  const Var* column;  // of the query
  char* name;         // that it has there
  AttrNumber origin;  // its number in the table whose domain it has, or that is public
  Oid table;
  Keys keys;               // of a public table: their type alone
  bool may_be_null;        // whether NULL is a key
  bool is_shown;           // whether it is grouped by as it is, not by what is computed of it
  const PublicRows* rows;  // null: it has a domain
  Index entry = 0;         // where it stands in rows of keys (key_table.h)
  AttrNumber place = 0;

  int count() const { return keys.count + (may_be_null ? 1 : 0); }
};

}  // namespace idp
