// Units of accounts: the column that tells them apart, and the tables that are linked to theirs
// (idp.link), which share the account.
#pragma once

#include "extension/pg/pg.h"

#include "extension/budget/account.h"
#include "extension/budget/past.h"
#include "extension/catalog/account_rows.h"
#include "extension/plan/unit.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

// Reports an error unless the table can have an account of its own: it is not linked.
void require_own_account(Oid table);

// Reports an error unless the column, of the table that an account protects or will, tells its rows
// apart, and links to the account, if there is one yet, keep theirs.
void require_unit(Oid table, const AccountRow* known, const char* column);

// Reports that rows which were protected one by one have become rows of units.
[[noreturn]] void refuse_past_of_rows(Oid table);

// Reports an error if other accounts were charged about rows of a table that is linked to this one:
// it says nothing of one unit, which may have had any number of them, also where the column of the
// link is unique now. Nor does what the same account has spent while the table was linked to it by
// another column: then rows were those of another unit. where: what the ledger says if it is
// forgotten.
void require_no_past(Oid table, int32 account, Past past, const char* where);

// Reports an error if a table, which is a part of a linked one or will be, has a link of its own.
void require_no_link_of_part(Oid part);

// --- columns.cpp ---

// Gives the columns of units and links their numbers, where they have none yet: in a catalog that
// was just updated, or restored from a dump of an earlier version.
void bind_columns();

// The names of these columns are those that they have after a command that renames.
void follow_names(const RenameStmt& statement);

// --- links.cpp ---

// Ends links that wait for a table of this name which others made, for tables of its owner.
void end_links_of_others(Oid table);

// The tables linked to an account, locked as to change their protection.
List* lock_linked_tables(int32 account);

// As set_lock(), of several tables.
void set_locks(List* tables, bool hidden);

// Whether a table belongs to an account by a link alone.
bool is_linked(Oid relation);

// The unit of an account in a query that reads these relations with a snapshot. Links are looked at
// anew: a constraint may have been dropped, or made after the snapshot.
const PrivacyUnit* unit_of(const Account& account, List* relations, Snapshot snapshot);

}  // namespace idp
