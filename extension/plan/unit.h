// Whose a row is: the unit of privacy of an account, as far as the tables of a query tell.
//
// Without a declared unit each row of a protected table is one. With one, the rows of the unit's
// table are units, told apart by a key, and rows of linked tables belong to the unit of the row
// they refer to, maybe over several tables. Two data sets are neighbours if they differ in
// everything that belongs to one unit.
#pragma once

#include "extension/pg/pg.h"

#include "core/accounting/unit.h"
#include "extension/plan/problem.h"

namespace idp {

// A column by which rows of a table of the unit are told apart. Rows that agree on it, in whatever
// table refers to it, belong to the same row of that table, and so to the same unit.
struct UnitKey {
  Oid table;
  AttrNumber column;
  Oid family;    // of the operators of its index
  bool is_unit;  // whether one unit has one row there, and so one value
};

// A column of a table that holds such a key, of the row itself or of one that it belongs to.
struct Tie {
  AttrNumber column;
  const UnitKey* key;
};

struct UnitTable {
  Oid table;               // as declared: the root of partitions
  bool is_declared;        // whether its unit is; if not, each row is one
  const Problem* problem;  // why it is not known whose its rows are, or null
  Multiplicity most;       // how many of its rows one unit has
  List* ties;              // of Tie

  bool is_unit() const { return most == Multiplicity::of(1); }
};

// The tables of an account that a query reads.
struct PrivacyUnit {
  List* relations;  // of Oid
  List* tables;     // of UnitTable, one for each of these
};

// Null if the relation is none of the account: then it is the same for all neighbours.
const UnitTable* unit_table(const PrivacyUnit& unit, Oid relation);

// The key that a column holds; null if none.
const UnitKey* key_in(const UnitTable& table, AttrNumber column);

}  // namespace idp
