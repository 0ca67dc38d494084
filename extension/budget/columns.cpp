// The columns of units and links: numbers tell them, names are what people see, and what a table
// that is dropped and made again has.
#include "extension/budget/links.h"
#include "extension/catalog/column_reference.h"
#include "extension/catalog/link_rows.h"
#include "extension/catalog/store.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/pg/sql_function.h"
#include "extension/pg/own_objects.h"

extern "C" {
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "utils/syscache.h"
}

namespace idp {

namespace {

using account_column::kUnitColumn;

bool needs_number(const AccountRow& account) {
  return account.unit() != nullptr && account.nulls[kUnitColumn] && OidIsValid(account.table());
}

bool needs_numbers(const LinkRow& link) {
  return link.nulls[link_column::kToColumn] && OidIsValid(link.table()) &&
         OidIsValid(link.parent());
}

// Gives a link its numbers, once its foreign key is there, which a dump brings last. False if there
// is nothing to give.
bool bind(LinkRow* link, bool only_asks) {
  if (!needs_numbers(*link)) return false;
  const Oid parent = link->parent();
  const AttrNumber column = get_attnum(link->table(), link->column());
  List* accounts = rows_numbered(link->account());
  if (accounts == NIL) return false;
  const auto* account = static_cast<const AccountRow*>(linitial(accounts));
  const AttrNumber unit = account->table() == parent ? account->unit_column() : InvalidAttrNumber;
  AttrNumber referenced = InvalidAttrNumber;
  (void)reference_of(link->table(), column, parent, unit, nullptr, &referenced);
  const bool is_gone = column <= 0;
  if (!is_gone && referenced == InvalidAttrNumber) return false;
  if (!only_asks) set_columns(link, column, referenced);
  return true;
}

bool bind(AccountRow* account, bool only_asks) {
  if (!needs_number(*account)) return false;
  if (only_asks) return true;
  account->values[kUnitColumn] =
      column_reference(account->table(), get_attnum(account->table(), account->unit()));
  account->nulls[kUnitColumn] = false;
  update_account(*account);
  return true;
}

bool bind_all(bool only_asks) {
  bool any = false;
  for (auto* row : list<AccountRow>(all_rows())) any |= bind(row, only_asks);
  for (auto* row : list<LinkRow>(all_links())) any |= bind(row, only_asks);
  return any;
}

}  // namespace

namespace {

// Not while a command changes the tables of the ledger themselves, for another version.
bool is_of_this_version(const char* table, int columns) {
  const Oid relation = own_relation(table);
  return OidIsValid(relation) && column_count(relation) == columns;
}

}  // namespace

void bind_columns() {
  const bool is_known = is_of_this_version("account", account_column::kCount) &&
                        is_of_this_version("link", link_column::kCount);
  if (!is_known || !bind_all(true)) return;
  // until the transaction ends: no other one changes these rows meanwhile
  const StoreLock lock(Table::kLink, 0);
  (void)bind_all(false);
}

namespace {

// The type of a table that was made of one; invalid if there is none.
Oid type_of_table(Oid table) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
  if (!HeapTupleIsValid(tuple)) return InvalidOid;
  const Oid type = reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple))->reloftype;
  ReleaseSysCache(tuple);
  return type;
}

// The name of a column that may have another one than before; null if it is gone or has not.
const char* new_name(Oid table, AttrNumber column, const char* before) {
  const char* name = column > 0 ? column_name(table, column) : nullptr;
  return name != nullptr && strcmp(name, before) != 0 ? name : nullptr;
}

void follow_names(Oid table) {
  for (auto* link : list<LinkRow>(links_of_table(table))) {
    const char* name = new_name(table, link->column_in(table), link->column());
    if (name != nullptr) set_column_name(link, name);
  }
  for (auto* account : list<AccountRow>(rows_of_table(table))) {
    const char* name = account->unit() == nullptr
                           ? nullptr
                           : new_name(table, account->unit_column(), account->unit());
    if (name == nullptr) continue;
    account->values[account_column::kUnit] = CStringGetTextDatum(name);
    update_account(*account);
  }
}

}  // namespace

void follow_names(const RenameStmt& statement) {
  const bool renames_column =
      statement.renameType == OBJECT_COLUMN || statement.renameType == OBJECT_ATTRIBUTE;
  if (!renames_column || statement.relation == nullptr || !store_exists() || !any_account()) return;
  const Oid renamed = RangeVarGetRelid(statement.relation, NoLock, true);
  if (!OidIsValid(renamed)) return;
  List* tables = find_all_inheritors(renamed, NoLock, nullptr);
  for (const auto* row : list<LinkRow>(all_links())) {
    const Oid table = row->table();
    if (type_of_table(table) == get_rel_type_id(renamed)) tables = lappend_oid(tables, table);
  }
  for (const auto* row : list<AccountRow>(all_rows())) {
    const Oid table = row->table();
    if (type_of_table(table) == get_rel_type_id(renamed)) tables = lappend_oid(tables, table);
  }
  for (const Oid oid : oids(tables)) follow_names(oid);
}

namespace {

Datum bind_columns_of_all(FunctionCallInfo) {
  bind_columns();
  PG_RETURN_VOID();
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_bind_columns, bind_columns_of_all);

}  // extern "C"
#pragma GCC visibility pop
