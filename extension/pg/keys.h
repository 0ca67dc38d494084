// Unique keys and foreign keys of tables: what indexes and constraints promise of all their rows,
// in every snapshot that is read.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

struct KeyColumn {
  AttrNumber column;
  Oid family;     // of the operators by which values are equal
  Oid collation;  // likewise
};

struct UniqueKey {
  Oid index;
  int count;
  KeyColumn* columns;
  bool without_nulls;  // whether none of its columns is ever NULL
};

// Of UniqueKey: by each index that is valid, checked at once, over all rows, and on columns alone.
List* unique_keys_of(Oid table);

// The one of them on that column alone; null if there is none.
const UniqueKey* unique_key_on(Oid table, AttrNumber column);

// Whether the column never holds NULL.
bool is_not_null(Oid table, AttrNumber column);

// Whether an operator tells values apart as a key does, or finer: by an equality of its family, and
// under a collation that takes no different texts for equal.
bool is_equality_of(Oid family, Oid op, Oid collation);

// What keeps a column from referring to a row of another table at all times.
enum class Reference { kSound, kNone, kNotValid, kDeferrable };

// By the foreign key on that column alone that refers to that table. referenced: its column there.
Reference reference_of(Oid table, AttrNumber column, Oid parent, AttrNumber* referenced);

}  // namespace idp
