// The rows of idp.link: which tables hold rows of the units of an account, and by which column they
// refer to the table their rows belong to rows of.
//
// Like those of accounts (extension/catalog/account_rows.h) they live and die with the transaction
// that writes them, are looked for as of now, and wait for a table of their name once theirs is
// dropped. Who changes one holds the AccessExclusiveLock of its table.
#pragma once

#include "extension/pg/pg.h"

#include "extension/catalog/columns.h"

namespace idp {

struct LinkRow {
  Datum values[link_column::kCount];
  bool nulls[link_column::kCount];
  ItemPointerData place;

  int32 account() const { return DatumGetInt32(values[link_column::kAccount]); }
  // The linked table, and the one it refers to; invalid if that does not exist any more.
  Oid table() const;
  Oid parent() const;
  // Whether it waits for a table of its name, and this is one whose owner has not ended that.
  bool waits_for(Oid table) const;
  char* name() const { return TextDatumGetCString(values[link_column::kName]); }
  char* owner() const { return TextDatumGetCString(values[link_column::kOwner]); }
  char* column() const { return TextDatumGetCString(values[link_column::kColumn]); }
  // Its column in the table that it is of, and the one that this refers to in the parent. Invalid
  // if it is gone, or while the link waits for a table.
  AttrNumber column_in(Oid table) const;
  AttrNumber referenced() const;
  // How many rows of one unit plain aggregates read at most; 0 if nobody said.
  int32 max_rows() const {
    return nulls[link_column::kMaxRows] ? 0 : DatumGetInt32(values[link_column::kMaxRows]);
  }
};

// Lists of LinkRow; empty in a catalog that was not updated yet. Those of a table; of a table or,
// having none, of its name; of an account.
List* links_of_table(Oid table);
List* links_for_table(Oid table);
List* links_of_account(int32 account);
// Whether they have numbers of columns: not in a catalog that was not updated yet.
bool links_have_numbers();

void insert_link(int32 account, Oid table, AttrNumber column, Oid parent, AttrNumber referenced,
                 int32 max_rows);
void change_max_rows(LinkRow* link, int32 max_rows);
void delete_link(const LinkRow& link);

List* all_links();
// The numbers of the columns of a link that has none yet, and the name of its column, where that
// was renamed.
void set_columns(LinkRow* link, AttrNumber column, AttrNumber referenced);
void set_column_name(LinkRow* link, const char* name);

// Of a table that is dropped: its links wait for a table of its name, and those of tables that
// refer to it have no parent any more. owner: null if it is not known.
void forget_links(Oid table, const char* name, const char* owner);

}  // namespace idp
