// One row of a table, inserted so that nothing takes it back.
//
// The row, what is moved out of it because it is large, and the entries of all indexes are first
// inserted as by any INSERT: whatever fails up to there, by an error, a cancel or a crash, leaves
// what VACUUM removes from any transaction that was rolled back. Only then is the creating
// transaction marked as frozen, as VACUUM does it for old rows: first where the large values are,
// and in the row itself last. So a row that is visible has all its parts and all its entries, and
// a frozen value whose row was never frozen, which takes a crash or a failing disk, is referred to
// by nothing.
//
// Until the mark, the transaction is at work, so nobody takes the row for dead. From the mark on it
// does not matter what becomes of the transaction; therefore the locks on the table and its indexes
// are given back at once, and a session that is idle in its transaction keeps no REINDEX waiting.
//
// Indexes that are built while others write (CREATE INDEX and REINDEX CONCURRENTLY). At the end
// they collect the entries there are, then read the table by a snapshot, and insert the entries of
// the rows that have none. A row that is inserted in between has an entry, and is not in the
// snapshot; but frozen, it would be in every snapshot, and get a second entry. So after the entries
// are inserted, and before the row is frozen, we look whether such a validation is at work, and
// wait for its end. One that begins later finds the entries; one that was over before finds no
// frozen row. It waits for nothing that we have, so that neither waits for ever. And an index that
// had no entry of the row because it did not take any yet: its build waits, before the validation,
// for all who hold a lock on the table, as we do from before we look at its indexes until the row
// is frozen.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// As many values as the table has columns. The transaction must have its number. Reports an error
// if the transaction itself has changed the table or its indexes so that a rollback would take the
// row, or an entry, away.
void insert_frozen_row(Oid table, Datum* values, bool* nulls);

}  // namespace idp
