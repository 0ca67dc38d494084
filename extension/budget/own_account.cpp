#include "extension/budget/own_account.h"

#include "core/accounting/rule_change.h"
#include "extension/budget/amount.h"
#include "extension/budget/partition_share.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/parents.h"

extern "C" {
#include "catalog/pg_inherits.h"
}

namespace idp {

AccountRow* account_to_take(Oid table, const char* owner) {
  AccountRow* detached = nullptr;
  ListCell* cell;
  foreach (cell, rows_of_table(table)) {
    auto* row = static_cast<AccountRow*>(lfirst(cell));
    if (row->part_of() == 0) return row;
    if (!is_held_share(*row)) detached = row;
  }
  if (detached != nullptr) return detached;
  foreach (cell, rows_waiting_for(table)) {
    auto* row = static_cast<AccountRow*>(lfirst(cell));
    if (strcmp(row->owner(), owner) == 0 || (superuser() && waits_for(*row, table))) return row;
  }
  return nullptr;
}

int32 account_of_past(Oid table, Neighbours neighbours) {
  using namespace account_column;
  const char* owner = owner_of(table);
  if (const AccountRow* known = account_to_take(table, owner)) return known->id();
  AccountRow row{};
  row.values[kRelation] = ObjectIdGetDatum(table);
  row.values[kName] = CStringGetTextDatum(qualified_name(table));
  row.values[kOwner] = CStringGetTextDatum(owner);
  row.values[kActive] = BoolGetDatum(false);
  row.values[kBudget] = no_amount();
  row.values[kNeighbours] = CStringGetTextDatum(name_of(neighbours).data());
  row.values[kSince] = TimestampTzGetDatum(GetCurrentTimestamp());
  row.values[kHidden] = BoolGetDatum(false);
  row.values[kPer] = CStringGetTextDatum("table");
  for (const int column :
       {kMinEpsilon, kFloor, kRenewal, kPartOf, kUnit, kDelta, kWidened, kRepeats, kUnitColumn}) {
    row.nulls[column] = true;
  }
  insert_account(&row);
  return row.id();
}

namespace {

// The table, and what it is a part of.
List* with_parents(Oid table) {
  List* above = list_make1_oid(table);
  ListCell* cell;
  foreach (cell, above) {  // grows while it is walked
    above = list_concat_unique_oid(above, parents_of(lfirst_oid(cell)));
  }
  return above;
}

}  // namespace

List* accounts_about(Oid table) {
  List* tables = find_all_inheritors(table, NoLock, nullptr);
  List* above = with_parents(table);
  ListCell* cell;
  List* accounts = NIL;
  const auto add = [&](const AccountRow& row) {
    accounts = list_append_unique_int(accounts, row.id());
  };
  foreach (cell, list_concat_unique_oid(tables, above)) {
    ListCell* inner;
    foreach (inner, rows_of_table(lfirst_oid(cell))) add(*static_cast<AccountRow*>(lfirst(inner)));
  }
  if (const AccountRow* own = account_to_take(table, owner_of(table))) add(*own);
  return accounts;
}

// Shares are taken back apart.
void take_over_past(Oid table, const AccountRow& account, Past past) {
  const List* above = with_parents(table);
  ListCell* cell;
  foreach (cell, accounts_about(table)) {
    const auto& other = *static_cast<AccountRow*>(linitial(rows_numbered(lfirst_int(cell))));
    if (other.active() || other.id() == account.id() || other.part_of() == account.id()) continue;
    if (list_member_oid(above, other.table())) {
      carry_beside(other.id(), account.id(),
                   factor_between(other.neighbours(), account.neighbours()), past);
    } else {
      add_part(other, account, 1, past);
    }
  }
}

}  // namespace idp
