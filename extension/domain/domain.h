// Domains: which values of a column everybody may know. The owner of the table declares them; they
// are kept as text, in a form that no setting of a session changes.
//
// A domain is a list of values, or all from one bound to another. What it holds is public, so that
// whatever a query does with it tells nothing of the rows.
#pragma once

#include "extension/domain/cells.h"
#include "extension/pg/pg.h"

namespace idp {

// Values of a column, in a row. Values are equal if their Datum is, or, of a type that is passed by
// reference, its bytes.
struct Keys {
  Oid type = InvalidOid;  // of the column, its typmod and collation
  int32 typmod = -1;
  Oid collation = InvalidOid;
  Datum* values = nullptr;  // null if there are more than kMostValues
  int count = 0;
  int64 number = 0;  // of all values of the domain, also where they are more
  Grain grain = {};  // the values are what its cells begin with
};

// The most keys that a list may have, and that groups by columns as they are have together.
inline constexpr int kMostKeys = 10000;
// The most values of columns that groups are made of, by expressions that give fewer.
inline constexpr int kMostValues = 100000;

// A number as a value of a type that is counted: whole numbers, and days.
Datum counted_value(Oid type, int64 number);

// Whether the column has a domain that can be listed: of a type whose equal values are the same,
// and a list, or bounds of whole numbers or days.
bool is_listed(Oid table, AttrNumber column);
// The names of the columns with a domain that was declared and can be listed.
List* columns_with_domains(Oid table);
// Whether NULL is a key of the column.
bool may_be_null(Oid table, AttrNumber column);
// The values of one that can be.
Keys keys_of(Oid table, AttrNumber column);

// Between which values, of its type, the domain of the column has all values; false if it has no
// domain.
bool bounds_of(Oid table, AttrNumber column, Datum* lower, Datum* upper);

// An expression over the column, of whole numbers or days, that has fewer values.
const char* coarser_than(Oid table, AttrNumber column);

}  // namespace idp
