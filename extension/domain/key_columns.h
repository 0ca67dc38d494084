// The columns of a query that its groups depend on, and which values of them everybody may know.
#pragma once

#include "extension/domain/key_column.h"
#include "extension/pg/pg.h"

namespace idp {

// Of KeyColumn, for columns of a query (of Var): those whose values come, unchanged, from a column
// with a domain, or of a table that everybody may know in a query over hidden rows, be it by
// subqueries, CTEs and joins. NIL if one has none. Further columns of such a table follow
// that conditions speak of.
//
// conditions: set to those on these columns alone that all rows fulfil that the query reads, as
// expressions over its columns. Keys of a domain that cannot fulfil one of them are left out as far
// as that can be told before the query runs; one is left at least.
//
// shown: what is grouped by. are_too_many: set to whether there are too many keys of domains, and
// then NIL is returned; where it is null, that is an error. of_one: the most that one of the
// columns may have then, of which conditions say nothing.
List* key_columns(const Query* query, const List* columns, const List* shown, List** conditions,
                  bool* are_too_many, int of_one = kMostValues);

}  // namespace idp
