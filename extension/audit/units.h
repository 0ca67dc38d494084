// The units of an account that an audit leaves out, one at a time, with all their rows.
//
// Where each row is a unit these are rows of the tables that the query reads. Otherwise they are
// values of the column that tells units apart, and the rows of one are found from the table of the
// units along the links, in every linked table: those that the query reads twice, or in a subquery,
// too.
//
// Read by the rights of whoever asks, with the snapshot that the query is executed with.
#pragma once

#include "extension/pg/pg.h"

#include "extension/budget/account.h"

namespace idp {

struct TriedUnit {
  const char* text;  // the value of the column, or the row
  // Where each row is a unit, and otherwise all zero.
  Oid table;
  ItemPointerData place;
};

// A random choice of so many; all of them if that is negative. relations: those that the query
// reads. Of TriedUnit.
List* choose_units(const Account& account, const List* relations, int64 most);

// Has an execution pass over the rows of a unit in these relations.
void leave_out_unit(HTAB* left_out, const Account& account, const List* relations,
                    const TriedUnit& unit);

}  // namespace idp
