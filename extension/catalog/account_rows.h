// The rows of idp.account, and of idp.account_end: which accounts of dropped tables the owner of a
// later table has ended.
//
// Unlike charges they live and die with the transaction that writes them: a ROLLBACK takes back
// that a table was protected, as it takes back that it was dropped. But they are looked for as of
// now, whatever snapshot the transaction has. One that is older than an account must not protect
// the table a second time, nor drop it unnoticed by its account.
//
// Two transactions never change a row at once: who changes it holds the AccessExclusiveLock of its
// table, or, while it waits for a table of its name, that of the one table that has the name.
#pragma once

#include "extension/pg/pg.h"

#include "core/accounting/unit.h"
#include "extension/catalog/columns.h"

extern "C" {
#include "utils/timestamp.h"
}

namespace idp {

struct AccountRow {
  Datum values[account_column::kCount];
  bool nulls[account_column::kCount];
  ItemPointerData place;

  int32 id() const { return DatumGetInt32(values[account_column::kId]); }
  // The table it is the account of; invalid if that does not exist any more.
  Oid table() const;
  char* name() const { return TextDatumGetCString(values[account_column::kName]); }
  char* owner() const { return TextDatumGetCString(values[account_column::kOwner]); }
  Neighbours neighbours() const {
    char* name = TextDatumGetCString(values[account_column::kNeighbours]);
    return neighbours_named(name).value_or(Neighbours::kSubstitute);  // which costs more
  }
  bool active() const { return DatumGetBool(values[account_column::kActive]); }
  // Whether the rows of its table are hidden. Not in a catalog that was not updated yet.
  bool hidden() const {
    return !nulls[account_column::kHidden] && DatumGetBool(values[account_column::kHidden]);
  }
  // Whether each partition of its table has an account of its own with the same rules.
  bool per_partition() const {
    return !nulls[account_column::kPer] &&
           strcmp(TextDatumGetCString(values[account_column::kPer]), "partition") == 0;
  }
  // How long a budget lasts; null: for ever.
  Interval* repeats() const {
    return nulls[account_column::kRepeats] ? nullptr
                                           : DatumGetIntervalP(values[account_column::kRepeats]);
  }
  Interval* renewal() const {
    return nulls[account_column::kRenewal] ? nullptr
                                           : DatumGetIntervalP(values[account_column::kRenewal]);
  }
  // The account that it is a partition's share of: it has the rules of that. 0 if there is none.
  int32 part_of() const {
    return nulls[account_column::kPartOf] ? 0 : DatumGetInt32(values[account_column::kPartOf]);
  }
  // The column that tells whose a row is; null if each row is one unit by itself.
  char* unit() const {
    return nulls[account_column::kUnit] ? nullptr
                                        : TextDatumGetCString(values[account_column::kUnit]);
  }
  // Its number; invalid if it is gone. In a catalog that was not updated yet it is known by name.
  AttrNumber unit_column() const;
};

bool any_account();
// Whether the rows of any table are hidden.
bool any_hidden_account();

// Lists of AccountRow. All; those of a table; those of no table, which wait for one of its name;
// the one of that number.
List* all_rows();
List* rows_of_table(Oid table);
List* rows_waiting_for(Oid table);
List* rows_numbered(int32 id);

// The rows of a table and those that wait for one of its name, at once.
struct RowsFor {
  bool any;  // whether there is an account, of whatever
  List* own;
  List* waiting;
};
RowsFor rows_for(Oid table);

// The shares of an account, also of partitions that are gone.
List* shares_of(int32 whole);

// Whether an account that waits for a table of its name is that of this one, which has the name:
// unless its owner, who is not the one it waits for, has ended it.
bool waits_for(const AccountRow& row, Oid table);
bool waits_for(int32 id, const char* owner, Oid table);

// Sets the number of the row, which no account ever had, and inserts it. The numbers of others are
// not waited for, whatever becomes of their transactions.
void insert_account(AccountRow* row);
void update_account(const AccountRow& row);
void deactivate_account(const AccountRow& row);

// Ends an account for the tables of an owner.
void end_account(int32 id, const char* owner);
// Takes back all such ends: the account has had a table of its own since.
void reopen_account(int32 id);

}  // namespace idp
