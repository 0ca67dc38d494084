// Reads of hidden tables that have no plan. COPY of a table starts the executor only where row
// security is in place; without, it reads and writes rows itself. The server asks for the rights of
// the current role in either case: only an executor that starts may do so for a hidden table.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Tells the tables of a query whose executor starts; null: none does. Returns what it was told
// before.
const List* begin_planned(const List* tables);

// Runs the start of the executor of a query.
template <class Start>
void start_planned(const QueryDesc* query, Start start) {
  const List* volatile outer = begin_planned(query->plannedstmt->rtable);
  PG_TRY();
  { start(); }
  PG_FINALLY();
  { (void)begin_planned(outer); }
  PG_END_TRY();
}

// Asked where the server checks rights to tables. Whether they may be read or changed, an error if
// it is to be one.
bool may_be_unplanned(List* tables, bool reports);

// Likewise: the catalogs of statistics hold values of hidden rows. Only roles that may read all
// tables have a right to them; through pg_stats, which shows those of readable rows, the owner of
// that view reads them. role: with whose rights; invalid: those of the current one.
bool may_read_statistics(Oid relation, Oid role, bool reports);

}  // namespace idp
