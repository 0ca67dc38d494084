// Unique keys and foreign keys of tables: what indexes and constraints promise of all rows that a
// snapshot sees.
//
// What was made after the snapshot was taken promises nothing of it: an index is built of the rows
// that are there now, and an older snapshot may see others. So each function takes the snapshot
// that rows are read with. Null stands for the rows that are there now.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "utils/snapshot.h"
}

namespace idp {

// That of the query at work, or null where none is.
Snapshot snapshot_at_work();

struct KeyPart {
  AttrNumber column;
  Oid family;     // of the operators by which values are equal
  Oid collation;  // likewise
};

struct UniqueKey {
  Oid index;
  int count;
  KeyPart* columns;
  bool without_nulls;  // whether none of its columns is ever NULL
};

// Of UniqueKey: by each index that is valid, checked at once, over all rows, and on columns alone.
List* unique_keys_of(Oid table, Snapshot snapshot);

// Whether a unique index of the table, or of one that it is a part of, is younger than the
// snapshot. The planner trusts it all the same: it looks for one partner only, leaves joins out,
// and takes a semi-join for a join.
bool has_younger_keys(Oid table, Snapshot snapshot);

// The one of them on that column alone that compares values as everything does where nobody names
// other operators; null if there is none. An index of record_image_ops takes equal rows for
// different.
const UniqueKey* unique_key_on(Oid table, AttrNumber column, Snapshot snapshot);

// The columns of the primary key, of int; NIL if there is none.
List* primary_key_of(Oid table);

// Whether one value of the column has one text: neither its collation nor that of a unique index on
// it takes different texts for equal. A foreign key follows the one or the other.
bool has_one_text(Oid table, AttrNumber column);

// Whether the column never holds NULL.
bool is_not_null(Oid table, AttrNumber column, Snapshot snapshot);

// Whether a partition, at whatever level, was one of that table when the snapshot was taken: rows
// of one that was attached since were not bound by the keys of the whole.
bool was_part_of(Oid partition, Oid whole, Snapshot snapshot);

// Whether values of a type that are equal, by the operators of its B-tree indexes, are the same in
// every respect: not those of numeric without a scale, where 1.0 = 1.00, nor of float8, where
// 0 = -0. A type that is not known is none.
bool has_exact_equality(Oid type, int32 typmod, Oid collation);

// Whether they are the same, and print the same, in a group of a domain.
bool has_one_form(Oid type, int32 typmod, Oid collation);

// Whether values that are equal are so by sorting and by hashing alike, so that the rows of a
// group, and of a join, do not depend on how they are found. Names are hashed by their bytes
// whatever their collation takes for equal. A type with such a collation that is not known is none
// of these.
bool is_hashed_as_equal(Oid type, Oid collation);

// Whether an operator tells values apart as a key does, or finer: by an equality of its family, and
// under a collation that takes no different texts for equal.
bool is_equality_of(Oid family, Oid op, Oid collation);

// What keeps a column from referring to a row of another table at all times.
enum class Reference {
  kSound,
  kNone,
  kNotValid,
  kNotEnforced,
  kDeferrable,
  kUnsteady,
  kOtherColumn,    // it refers to another column than the one that was asked for
  kAmbiguous,      // several do, to different columns: whose a row is would hang on their names
  kOtherEquality,  // it takes values for equal that are different in one of the two columns
};

// By the foreign key on that column alone that refers to that table, and to that column of it
// unless it is invalid. referenced: its column there.
Reference reference_of(Oid table, AttrNumber column, Oid parent, AttrNumber wanted,
                       Snapshot snapshot, AttrNumber* referenced);

}  // namespace idp
