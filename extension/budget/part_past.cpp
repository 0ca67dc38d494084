// What becomes of the past where a table becomes a part of another, or is one no more, or gets
// another name than one that something waits for.
#include "core/accounting/rule_change.h"
#include "extension/budget/account.h"
#include "extension/budget/links.h"
#include "extension/budget/own_account.h"
#include "extension/budget/past.h"
#include "extension/catalog/link_rows.h"
#include "extension/catalog/store.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/former_names.h"
#include "extension/pg/nodes.h"
#include "extension/pg/sql_function.h"

extern "C" {
#include "catalog/namespace.h"
#include "catalog/pg_inherits.h"
#include "commands/event_trigger.h"
#include "commands/extension.h"
#include "nodes/parsenodes.h"
#include "utils/snapmgr.h"
}

namespace idp {

namespace {

const AccountRow& row_numbered(int32 id) {
  return *static_cast<const AccountRow*>(linitial(rows_numbered(id)));
}

// Whether units of the account have any number of rows of a table.
bool has_rows_of_units(Oid table, const Account& account) {
  return account.unit != nullptr && is_linked(table);
}

// What an account has spent about rows of a table counts for an active one that they belong to.
void carry_over(int32 from, Neighbours before, bool of_units, const AccountRow& to) {
  const Neighbours now = to.neighbours();
  carry_beside(from, to.id(), of_units ? factor_of_rows(before, now) : factor_between(before, now),
               Past::kCounts);
  if (of_units && to.active()) require_no_local_answers(to.table(), to, Past::kCounts);
}

// The same of parts of the table that are protected by themselves.
void carry_to_parts(Oid table, int32 from, Neighbours before, bool of_units) {
  for (const Oid oid : oids(find_all_inheritors(table, NoLock, nullptr))) {
    if (oid == table) continue;
    for (const auto* row : list<AccountRow>(rows_of_table(oid))) {
      if (row->active() && row->part_of() != from) carry_over(from, before, of_units, *row);
    }
  }
}

// What an account has spent about rows of a table, which are no longer its own, counts for that by
// itself, whether it is protected still or not.
void leave(Oid table, const AccountAbout& about) {
  const AccountRow& account = *about.row;
  const int32 id = account.id();
  if (!has_spent_beside(id, id)) return;
  const int32 own =
      account_of_past(table, about.by_link ? Neighbours::kAddRemove : account.neighbours());
  if (own == id) return;
  carry_over(id, account.neighbours(), about.by_link, row_numbered(own));
  carry_to_parts(table, id, account.neighbours(), about.by_link);
}

// The same of accounts of what the table was a part of. Shares stay as they are.
void leave(Oid part, Oid whole) {
  for (const auto* about : list<AccountAbout>(accounts_about_whole(whole))) {
    if (!about->row->per_partition()) leave(part, *about);
  }
}

[[noreturn]] void refuse_part(Oid part, Oid whole) {
  ereport(
      ERROR,
      (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
       errmsg("what was spent about rows of table \"%s\" has no bound for a unit",
              get_rel_name(part)),
       errdetail("Table \"%s\" is linked; each row of this one was protected by itself, or as one "
                 "of other units, and a unit may have had any number of them.",
                 get_rel_name(whole)),
       errhint("Let it be protected by itself, or end the link with idp.unlink, and link again "
               "with forget => true afterwards: the ledger keeps that.")));
  pg_unreachable();
}

// What an account that has ended was charged about rows of a table counts for those that they
// belong to now. One that is active is charged as well.
void join(Oid part, Oid whole, const AccountAbout& past, const List* accounts) {
  const int32 from = past.row->id();
  for (const auto* account : list<Account>(accounts)) {
    if (account->id == from) continue;
    // nor is what came from the account itself about the same units: ask whose a row was then
    if (has_rows_of_units(whole, *account) && has_spent_beside(from, from)) {
      refuse_part(part, whole);
    }
    if (!has_spent_beside(from, account->id)) continue;
    const AccountRow& now = row_numbered(account->id);
    if (past.by_link) {
      carry_over(from, past.row->neighbours(), true, now);
      continue;
    }
    // a row that moves has lost half of what two parts have spent, but all of this
    const int halves = account->part_of != 0 ? 2 : 1;
    add_part(*past.row, now, halves, Past::kCounts);
  }
}

void join(Oid part, Oid whole) {
  List* parts = find_all_inheritors(part, NoLock, nullptr);
  for (const Oid oid : oids(parts)) {
    if (is_linked(whole)) require_no_link_of_part(oid);
  }
  for (const auto* past : list<AccountAbout>(accounts_about_parts(part))) {
    if (!past->row->active()) join(part, whole, *past, accounts_of_all(parts));
  }
}

Oid table_of(const RangeVar* name) { return RangeVarGetRelid(name, NoLock, true); }

void keep_past(const AlterTableStmt& statement) {
  const Oid table = table_of(statement.relation);
  for (const auto* command : list<AlterTableCmd>(statement.cmds)) {
    const bool is_of_partition = command->subtype == AT_AttachPartition ||
                                 command->subtype == AT_DetachPartition ||
                                 command->subtype == AT_DetachPartitionFinalize;
    const bool is_of_parent =
        command->subtype == AT_AddInherit || command->subtype == AT_DropInherit;
    if (!is_of_partition && !is_of_parent) continue;
    // Not before: the command may change the tables of the ledger themselves, for another version.
    if (!store_exists() || !any_account()) return;
    const Oid other = table_of(is_of_partition ? as<PartitionCmd>(command->def)->name
                                               : as<RangeVar>(command->def));
    if (!OidIsValid(table) || !OidIsValid(other)) continue;
    const Oid part = is_of_partition ? other : table;
    const Oid whole = is_of_partition ? table : other;
    if (command->subtype == AT_AttachPartition || command->subtype == AT_AddInherit) {
      join(part, whole);
    } else {
      leave(part, whole);
    }
  }
}

// Whether what waits, active or not, counts for a table that has its name.
bool counts_for(Oid table, int32 id, const char* owner, bool active) {
  return strcmp(owner, owner_of(table)) == 0 || (active && waits_for(id, owner, table));
}

// Accounts and links that wait for a name which this transaction has taken from the table.
List* waiting_for_former_names(Oid table) {
  List* waiting = NIL;
  const auto add = [&](const AccountRow& row, bool by_link) {
    auto* about = static_cast<AccountAbout*>(palloc(sizeof(AccountAbout)));
    *about = {&row, by_link};
    waiting = lappend(waiting, about);
  };
  for (const auto* row : list<AccountRow>(all_rows())) {
    if (OidIsValid(row->table()) || !had_name(table, row->name())) continue;
    if (counts_for(table, row->id(), row->owner(), row->active())) add(*row, false);
  }
  if (links_of_table(table) != NIL) return waiting;
  for (const auto* link : list<LinkRow>(all_links())) {
    if (OidIsValid(link->table()) || !had_name(table, link->name())) continue;
    if (counts_for(table, link->account(), link->owner(), true)) {
      add(row_numbered(link->account()), true);
    }
  }
  return waiting;
}

}  // namespace

void keep_past_of_ended(Oid table, const AccountRow& ended) {
  if (!has_spent_beside(ended.id(), ended.id())) return;
  join(table, table, {&ended, false}, accounts_of(table));
  carry_to_parts(table, ended.id(), ended.neighbours(), false);
}

// The table may be a copy of the one that was dropped, whatever it is called. It is not known: so
// what waits is charged to both, to it and to the next table of the name.
void keep_past_of_names(Oid table) {
  for (const auto* about : list<AccountAbout>(waiting_for_former_names(table))) {
    const int32 id = about->row->id();
    leave(table, *about);
    for (const auto* account : list<Account>(accounts_of(table))) {
      if (account->id == id || account->waits || !has_spent_beside(id, account->id)) continue;
      if (has_rows_of_units(table, *account)) refuse_part(table, table);
      carry_over(id, about->row->neighbours(), about->by_link, row_numbered(account->id));
    }
  }
}

void keep_past_of_units(Oid table, const AccountRow& account) {
  for (const auto* other : list<Account>(accounts_of(table))) {
    if (other->id == account.id()) continue;
    carry_over(account.id(), account.neighbours(), true, row_numbered(other->id));
  }
  carry_to_parts(table, account.id(), account.neighbours(), true);
}

namespace {

// An event trigger after ALTER TABLE and its like, when new partitions have their shares. It has
// the search path of the command.
Datum keep_past_of_parts(FunctionCallInfo fcinfo) {
  if (!CALLED_AS_EVENT_TRIGGER(fcinfo)) elog(ERROR, "idp.keep_past() is for an event trigger");
  // DETACH PARTITION CONCURRENTLY ends its transaction on the way, and with that its snapshot
  const bool needs_snapshot = !ActiveSnapshotSet();
  if (needs_snapshot) PushActiveSnapshot(GetTransactionSnapshot());
  const auto* event = as<EventTriggerData>(fcinfo->context);
  if (IsA(event->parsetree, AlterTableStmt)) {
    keep_past(*as<AlterTableStmt>(event->parsetree));
  } else if (IsA(event->parsetree, RenameStmt)) {
    follow_names(*as<RenameStmt>(event->parsetree));
  }
  if (!creating_extension) bind_columns();
  if (needs_snapshot) PopActiveSnapshot();
  PG_RETURN_NULL();
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_keep_past, keep_past_of_parts);

}  // extern "C"
#pragma GCC visibility pop
