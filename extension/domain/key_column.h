// A column of a query whose values everybody may know, and which of them it may have.
#pragma once

#include "extension/domain/domain.h"
#include "extension/pg/pg.h"
#include "extension/pg/rights.h"

namespace idp {

struct KeyColumn;

// One reading of a table that everybody may know: its columns have the values of one row.
struct PublicRows {
  const RangeTblEntry* entry;
  const Rights* rights;  // of the entry in its query
  List* path;            // of int: by which entries of the query, and of those in it, it is reached
  bool may_be_absent;    // whether an outer join may have NULL in place of the row
};

// What a column with keys has that a query computes of one whose values are listed, and of which
// all of its rows have one. Several of one value have the rows alone that it gives: the month and
// the year of a day.
struct KeyImage {
  const Query* query;     // that computes it
  const KeyColumn* base;  // of that query
  Node* expression;       // over it
  List* path;             // as in PublicRows, to the query
};

// Rows of several columns of keys, each row once.
struct ListedRows {
  struct Cell {
    Datum value;
    bool is_null;
  };
  int width;
  int count;
  Cell* cells;  // row after row
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
  const KeyImage* image;   // null: it is not computed so
  bool is_pinned;          // whether conditions of the query alone say which (pinned_keys.h)
  const List* several;     // of KeyColumn: what it is computed of, if these are more than one
  const ListedRows* listed = nullptr;  // the keys that it has together with others of one value
  int listed_column = 0;               // among these
  List* implied = NIL;  // of Node: what conditions on the column of an image say of it
  Index entry = 0;      // where it stands in rows of keys (key_table.h)
  AttrNumber place = 0;

  int count() const { return keys.count + (may_be_null ? 1 : 0); }
};

}  // namespace idp
