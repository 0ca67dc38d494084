#include "extension/budget/own_account.h"

#include "core/accounting/rule_change.h"
#include "extension/budget/amount.h"
#include "extension/budget/partition_share.h"
#include "extension/catalog/link_rows.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parents.h"
#include "extension/pg/sql_function.h"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
}

namespace idp {

namespace {

// Null if it has none.
AccountRow* own_row(Oid table) {
  AccountRow* detached = nullptr;
  for (auto* row : list<AccountRow>(rows_of_table(table))) {
    if (row->part_of() == 0) return row;
    if (!is_held_share(*row)) detached = row;
  }
  return detached;
}

// Those of the owner that wait for the table; for a superuser, of any who has not ended that.
List* rows_to_take(Oid table, const char* owner) {
  List* rows = rows_waiting_for(table);
  ListCell* cell;
  foreach (cell, rows) {
    const auto* row = static_cast<const AccountRow*>(lfirst(cell));
    const bool is_hers = strcmp(row->owner(), owner) == 0;
    if (!is_hers && !(superuser() && waits_for(*row, table))) {
      rows = foreach_delete_current(rows, cell);
    }
  }
  return rows;
}

}  // namespace

AccountRow* account_to_take(Oid table, const char* owner) {
  AccountRow* taken = own_row(table);
  if (taken != nullptr && taken->active()) return taken;
  for (auto* row : list<AccountRow>(rows_to_take(table, owner))) {
    if (taken == nullptr || (row->active() && !taken->active())) taken = row;
  }
  return taken;
}

void end_waiting(Oid table, const char* owner, int32 taken) {
  for (const auto* row : list<AccountRow>(rows_to_take(table, owner))) {
    if (row->active() && row->id() != taken && row->unit() == nullptr) deactivate_account(*row);
  }
}

void take_waiting_account(Oid table) {
  using namespace account_column;
  const char kind = get_rel_relkind(table);
  const bool can_have = (kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE) &&
                        get_rel_persistence(table) != RELPERSISTENCE_TEMP;
  if (!can_have) return;
  List* waiting = rows_waiting_for(table);
  ListCell* cell;
  foreach (cell, waiting) {
    const auto* one = static_cast<const AccountRow*>(lfirst(cell));
    const bool is_hers = strcmp(one->owner(), owner_of(table)) == 0;
    const bool counts = is_hers || (one->active() && waits_for(*one, table));
    if (!counts) waiting = foreach_delete_current(waiting, cell);
  }
  if (list_length(waiting) != 1) return;
  auto row = *static_cast<const AccountRow*>(linitial(waiting));
  const bool is_plain = row.unit() == nullptr && !row.per_partition();
  if (!is_plain || strcmp(row.owner(), owner_of(table)) != 0) return;
  if (own_row(table) != nullptr || links_for_table(table) != NIL) return;  // shares are beside it
  for (const auto* about : list<AccountAbout>(accounts_about(table))) {
    const AccountRow& other = *about->row;
    const bool has_ended = !other.active() && (about->by_link || OidIsValid(other.table()));
    if (has_ended && has_spent_beside(other.id(), other.id())) return;
  }
  row.values[kRelation] = ObjectIdGetDatum(table);
  row.nulls[kRelation] = false;
  update_account(row);
}

int32 account_of_past(Oid table, Neighbours neighbours) {
  using namespace account_column;
  const char* owner = owner_of(table);
  if (const AccountRow* known = own_row(table)) return known->id();
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
  for (const int column : {kMinEpsilon, kFloor, kRenewal, kPartOf, kUnit, kDelta, kWidened,
                           kRepeats, kUnitColumn, kEpsilon, kMaxEpsilon}) {
    row.nulls[column] = true;
  }
  insert_account(&row);
  return row.id();
}

namespace {

// The table, and what it is a part of.
List* with_parents(Oid table) {
  List* above = list_make1_oid(table);
  for (const Oid oid : oids(above)) {  // grows while it is walked
    above = list_concat_unique_oid(above, parents_of(oid));
  }
  return above;
}

// Links of dropped tables, too, that wait for this one of the same owner.
List* links_about(Oid table) {
  List* links = links_for_table(table);
  ListCell* cell;
  foreach (cell, links) {
    const auto* link = static_cast<const LinkRow*>(lfirst(cell));
    const bool is_hers = link->table() == table || strcmp(link->owner(), owner_of(table)) == 0;
    if (!is_hers) links = foreach_delete_current(links, cell);
  }
  return links;
}

List* add_account(List* accounts, const AccountRow* row, bool by_link) {
  for (auto* known : list<AccountAbout>(accounts)) {
    if (known->row->id() != row->id()) continue;
    known->by_link |= by_link;
    return accounts;
  }
  auto* found = static_cast<AccountAbout*>(palloc(sizeof(AccountAbout)));
  *found = {row, by_link};
  return lappend(accounts, found);
}

List* add_accounts(List* accounts, List* rows, bool by_link) {
  for (const auto* row : list<AccountRow>(rows)) {
    accounts = add_account(accounts, row, by_link);
  }
  return accounts;
}

List* accounts_about_any(const List* tables) {
  List* accounts = NIL;
  for (const Oid table : oids(tables)) {
    accounts = add_accounts(accounts, rows_of_table(table), false);
    accounts = add_accounts(accounts, rows_to_take(table, owner_of(table)), false);
    for (const auto* row : list<LinkRow>(links_about(table))) {
      const int32 account = row->account();
      accounts = add_accounts(accounts, rows_numbered(account), true);
    }
  }
  return accounts;
}

}  // namespace

List* accounts_about_whole(Oid table) { return accounts_about_any(with_parents(table)); }

List* accounts_about_parts(Oid table) {
  return accounts_about_any(find_all_inheritors(table, NoLock, nullptr));
}

List* accounts_about(Oid table) {
  List* tables = find_all_inheritors(table, NoLock, nullptr);
  return accounts_about_any(list_concat_unique_oid(tables, with_parents(table)));
}

// Shares are taken back apart.
void take_over_past(Oid table, const AccountRow& account, Past past) {
  const List* above = with_parents(table);
  for (const auto* about : list<AccountAbout>(accounts_about(table))) {
    const AccountRow& other = *about->row;
    if (other.active() || other.id() == account.id() || other.part_of() == account.id()) continue;
    if (about->by_link) {
      carry_beside(other.id(), account.id(),
                   factor_of_rows(other.neighbours(), account.neighbours()), past);
      require_no_local_answers(table, account, past);
    } else if (!OidIsValid(other.table()) || list_member_oid(above, other.table())) {
      // one that waits was about rows of then
      carry_beside(other.id(), account.id(),
                   factor_between(other.neighbours(), account.neighbours()), past);
    } else {
      add_part(other, account, 1, past);
    }
  }
}

namespace {

// Called where a table may have got a name.
Datum take_waiting_account_of(FunctionCallInfo fcinfo) {
  keep_past_of_names(PG_GETARG_OID(0));
  take_waiting_account(PG_GETARG_OID(0));
  PG_RETURN_VOID();
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_take_account, take_waiting_account_of);

}  // extern "C"
#pragma GCC visibility pop
