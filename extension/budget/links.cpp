// The functions by which the owner of tables says whose their rows are.
#include "extension/budget/links.h"

#include "core/accounting/rule_change.h"
#include "extension/budget/own_account.h"
#include "extension/budget/owned_table.h"
#include "extension/budget/past.h"
#include "extension/catalog/link_rows.h"
#include "extension/pg/arguments.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/keys.h"
#include "extension/pg/nodes.h"
#include "extension/pg/sql_function.h"

extern "C" {
#include "access/xact.h"
#include "catalog/pg_inherits.h"
#include "storage/lmgr.h"
#include "utils/inval.h"
}

namespace idp {

namespace {

AttrNumber column_named(Oid table, const char* name) {
  const AttrNumber column = get_attnum(table, name);
  if (column > 0) return column;
  ereport(ERROR,
          (errcode(ERRCODE_UNDEFINED_COLUMN),
           errmsg("column \"%s\" of table \"%s\" does not exist", name, get_rel_name(table))));
  pg_unreachable();
}

[[noreturn]] void refuse_key(Oid table, AttrNumber column, const char* detail, const char* hint) {
  ereport(ERROR, (errcode(ERRCODE_INVALID_TABLE_DEFINITION),
                  errmsg("column \"%s\" of table \"%s\" does not tell units apart",
                         get_attname(table, column, false), get_rel_name(table)),
                  errdetail("%s", detail), errhint("%s", hint)));
  pg_unreachable();
}

constexpr char kManyTexts[] = "Its collation takes different texts for equal.";
constexpr char kOneText[] =
    "Give it a deterministic collation: ALTER TABLE … ALTER COLUMN … TYPE text COLLATE "
    "\"default\".";

void require_key(Oid table, AttrNumber column) {
  const UniqueKey* key = unique_key_on(table, column, nullptr);
  if (key == nullptr) {
    refuse_key(
        table, column,
        "It has no unique index that is valid, of all rows, not deferrable, and of the default "
        "operator class.",
        "Make it the primary key.");
  }
  if (!key->without_nulls) {
    refuse_key(table, column, "It may hold NULL.", "ALTER TABLE … ALTER COLUMN … SET NOT NULL.");
  }
  if (!has_one_text(table, column)) refuse_key(table, column, kManyTexts, kOneText);
}

// A unique index is not one of the tables that inherit.
void require_no_children(Oid table) {
  if (get_rel_relkind(table) == RELKIND_PARTITIONED_TABLE || !has_subclass(table) ||
      find_inheritance_children(table, AccessShareLock) == NIL) {
    return;
  }
  ereport(ERROR,
          (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
           errmsg("units cannot be declared for table \"%s\"", get_rel_name(table)),
           errdetail("Tables inherit from it, whose rows no key or foreign key of it holds."),
           errhint("Use partitions.")));
}

LinkRow* link_of(Oid table) {
  List* links = links_for_table(table);
  return links == NIL ? nullptr : static_cast<LinkRow*>(linitial(links));
}

AccountRow* account_numbered(int32 id) {
  List* rows = rows_numbered(id);
  return rows == NIL ? nullptr : static_cast<AccountRow*>(linitial(rows));
}

// The active account that the table is the unit table of; null if none.
AccountRow* own_account(Oid table) {
  for (auto* row : list<AccountRow>(rows_of_table(table))) {
    if (row->active()) return row;
  }
  return nullptr;
}

// The account that a table can be linked to: that of the parent, or that the parent is linked to.
AccountRow* account_to_join(Oid parent) {
  const LinkRow* link = link_of(parent);
  AccountRow* account = link == nullptr ? own_account(parent) : account_numbered(link->account());
  if (account == nullptr || !account->active()) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("table \"%s\" has no units", get_rel_name(parent)),
                    errdetail("It is not protected."),
                    errhint("Protect it with idp.protect(…, unit => …), or link it first.")));
  }
  if (account->unit() == nullptr) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("table \"%s\" has no units", get_rel_name(parent)),
                    errdetail("Each of its rows is protected by itself."),
                    errhint("Declare the column that tells its units apart with "
                            "idp.protect(…, unit => …).")));
  }
  return account;
}

// Whether rows of a table belong to rows of another one.
bool is_below(Oid table, Oid other) {
  for (const LinkRow* link = link_of(table); link != nullptr; link = link_of(link->parent())) {
    if (link->parent() == other) return true;
    if (!OidIsValid(link->parent())) break;
  }
  return false;
}

void require_unlinked(Oid table, Oid parent) {
  if (table == parent || is_below(parent, table)) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
                    errmsg("links of table \"%s\" would form a cycle", get_rel_name(table)),
                    errdetail("Rows of \"%s\" belong to rows of \"%s\" already.",
                              get_rel_name(parent), get_rel_name(table)),
                    errhint("Link each table to the one that leads to the table of the unit.")));
  }
  const bool is_linked_still = links_of_table(table) != NIL;  // also where the account has ended
  if (!is_linked_still && accounts_of(table) == NIL) return;
  if (link_of(table) == nullptr) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("table \"%s\" has an account of its own", get_rel_name(table)),
                    errdetail("Linked tables share that of the unit."),
                    errhint("End it with idp.unprotect first.")));
  }
  ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                  errmsg("table \"%s\" is linked already", get_rel_name(table)),
                  errhint("End that with idp.unlink first.")));
}

[[noreturn]] void refuse_reference(Oid table, AttrNumber column, Oid parent, const char* detail,
                                   const char* hint) {
  ereport(ERROR,
          (errcode(ERRCODE_INVALID_FOREIGN_KEY),
           errmsg("column \"%s\" of table \"%s\" does not link it to table \"%s\"",
                  get_attname(table, column, false), get_rel_name(table), get_rel_name(parent)),
           errdetail("%s", detail), errhint("%s", hint)));
  pg_unreachable();
}

// The column of the parent that it refers to.
AttrNumber require_reference(Oid table, AttrNumber column, Oid parent, const AccountRow& account) {
  const AttrNumber unit = account.table() == parent ? account.unit_column() : InvalidAttrNumber;
  AttrNumber referenced = InvalidAttrNumber;
  switch (reference_of(table, column, parent, unit, nullptr, &referenced)) {
    case Reference::kSound:
      break;
    case Reference::kNone:
      refuse_reference(
          table, column, parent, "No foreign key on this column alone refers to that table.",
          psprintf("Add one: ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s.",
                   qualified_name(table), quote_identifier(get_attname(table, column, false)),
                   qualified_name(parent)));
    case Reference::kNotValid:
      refuse_reference(table, column, parent,
                       "Its foreign key was not validated: rows may refer to nothing.",
                       "ALTER TABLE … VALIDATE CONSTRAINT.");
    case Reference::kNotEnforced:
      refuse_reference(table, column, parent,
                       "Its foreign key is not enforced: rows may refer to nothing.",
                       "ALTER TABLE … ALTER CONSTRAINT … ENFORCED.");
    case Reference::kDeferrable:
      refuse_reference(table, column, parent,
                       "Its foreign key is deferrable: rows may refer to nothing for a while.",
                       "ALTER TABLE … ALTER CONSTRAINT … NOT DEFERRABLE.");
    case Reference::kUnsteady:
      refuse_reference(
          table, column, parent,
          "Its foreign key compares values in the time zone of the session: equal ones "
          "may refer to different rows.",
          "Give both columns the same type.");
    case Reference::kOtherColumn:
      refuse_reference(table, column, parent, "Its foreign key does not refer to the unit.",
                       "Refer to the column that was given to idp.protect as unit.");
    case Reference::kAmbiguous:
      refuse_reference(table, column, parent,
                       "Several foreign keys refer to different columns of that table: they may "
                       "name different rows.",
                       "Leave one of them: ALTER TABLE … DROP CONSTRAINT ….");
    case Reference::kOtherEquality:
      refuse_reference(table, column, parent,
                       "Its foreign key compares values of another type than the column's: rows "
                       "with different ones may refer to the same row.",
                       "Give both columns the same type, and let the unique index that it refers "
                       "to have the default operator class.");
  }
  if (!is_not_null(table, column, nullptr)) {
    refuse_reference(table, column, parent, "It may hold NULL: such a row belongs to nobody.",
                     "ALTER TABLE … ALTER COLUMN … SET NOT NULL.");
  }
  if (!has_one_text(table, column)) {
    refuse_reference(table, column, parent, kManyTexts, kOneText);
  }
  require_key(parent, referenced);
  return referenced;
}

// A part belongs to the units that the whole belongs to, whatever it was linked by.
void require_unlinked_parts(Oid table) {
  for (const Oid oid : oids(find_all_inheritors(table, NoLock, nullptr))) {
    if (oid != table) require_no_link_of_part(oid);
  }
}

// What the account has spent counts for each row of a table that is linked to it no more, also
// where these have an account still, as rows of a part of it or of what it is a part of.
void keep_past(Oid table, const AccountRow& account) {
  if (!has_spent_beside(account.id(), account.id())) return;
  const int32 own = account_of_past(table, Neighbours::kAddRemove);
  const auto* row = static_cast<const AccountRow*>(linitial(rows_numbered(own)));
  carry_beside(account.id(), own, factor_of_rows(account.neighbours(), row->neighbours()),
               Past::kCounts);
  keep_past_of_units(table, account);
}

// Whether the foreign key of the column refers to the one that the link's did.
bool leads_where_it_did(const LinkRow& link, Oid table, const char* column) {
  AttrNumber now = InvalidAttrNumber;
  return link.referenced() != InvalidAttrNumber &&
         reference_of(table, column_named(table, column), link.parent(), link.referenced(), nullptr,
                      &now) == Reference::kSound &&
         now == link.referenced();
}

// Lets a table take the place of a dropped one of its name, and owner, that was linked. By another
// column, or to another one, rows of the same names may be those of other units.
void take_waiting_link(Oid table, const char* column, Oid parent, Past past) {
  const LinkRow* link = link_of(table);
  if (link == nullptr || OidIsValid(link->table())) return;
  if (strcmp(link->owner(), owner_of(table)) != 0 && !superuser()) return;
  const int32 account = link->account();
  const bool is_same = link->parent() == parent && strcmp(link->column(), column) == 0 &&
                       account_to_join(parent)->id() == account &&
                       leads_where_it_did(*link, table, column);
  if (!is_same && has_spent_beside(account, account)) {
    if (past == Past::kCounts) refuse_past_of_rows(table);
    note_forgotten(account, account, "idp.link(forget => true)");
  }
  delete_link(*link);
}

// 0 if it is not given.
int32 given_max_rows(FunctionCallInfo fcinfo) {
  if (PG_NARGS() <= 4 || PG_ARGISNULL(4)) return 0;  // of an earlier version
  const int32 given = PG_GETARG_INT32(4);
  if (given < 1) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("max_rows must be at least 1"),
                    errhint("It is how many rows of one unit plain aggregates read.")));
  }
  return given;
}

// Whether a table was linked so already: then what else is said of the link changes.
bool change_link(Oid table, const char* column, Oid parent, int32 max_rows) {
  LinkRow* known = link_of(table);
  if (max_rows == 0 || known == nullptr || known->table() != table || known->parent() != parent ||
      known->column_in(table) != column_named(table, column)) {
    return false;
  }
  change_max_rows(known, max_rows);
  CacheInvalidateRelcacheByRelid(table);  // plans that read others
  return true;
}

Datum link(FunctionCallInfo fcinfo) {
  static constexpr const char* kNames[] = {"table", "column", "parent", "forget"};
  for (int i = 0; i < Min(PG_NARGS(), static_cast<int>(lengthof(kNames))); ++i) {
    if (PG_ARGISNULL(i)) refuse_null(kNames[i]);
  }
  const Oid table = PG_GETARG_OID(0);
  const char* column = text_to_cstring(PG_GETARG_TEXT_PP(1));
  const Oid parent = PG_GETARG_OID(2);
  const bool forget = PG_NARGS() > 3 && PG_GETARG_BOOL(3);
  const int32 max_rows = given_max_rows(fcinfo);
  PreventCommandIfReadOnly("idp.link()");
  lock_out_queries(table, require_protectable);
  require_owner(parent);
  LockRelationOid(parent, ShareRowExclusiveLock);  // against links of it, and changes of its keys
  require_owner(parent);
  bind_columns();
  if (change_link(table, column, parent, max_rows)) PG_RETURN_VOID();
  const Past past = forget ? Past::kForgotten : Past::kCounts;
  take_waiting_link(table, column, parent, past);
  require_unlinked(table, parent);
  const AccountRow* account = account_to_join(parent);
  require_no_children(table);
  require_unlinked_parts(table);
  const AttrNumber number = column_named(table, column);
  const AttrNumber referenced = require_reference(table, number, parent, *account);
  require_no_past(table, account->id(), past, "idp.link(forget => true)");
  insert_link(account->id(), table, number, parent, referenced, max_rows);
  set_locks(list_make1_oid(table), account->hidden());
  PG_RETURN_VOID();
}

// One that waits for a table of this name, which somebody else made, is no longer one of tables of
// its owner.
bool end_link_of_others(const LinkRow& link, Oid table) {
  const char* owner = owner_of(table);
  if (OidIsValid(link.table()) || strcmp(link.owner(), owner) == 0 || superuser()) return false;
  end_account(link.account(), owner);
  return true;
}

Datum unlink(FunctionCallInfo fcinfo) {
  const Oid table = PG_GETARG_OID(0);
  PreventCommandIfReadOnly("idp.unlink()");
  lock_out_queries(table, require_permanent);
  List* links = links_for_table(table);
  if (links == NIL) {
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
                    errmsg("table \"%s\" is not linked", get_rel_name(table))));
  }
  for (const auto* row : list<LinkRow>(links)) {
    if (end_link_of_others(*row, table)) continue;
    const AccountRow* account = account_numbered(row->account());
    if (account != nullptr && OidIsValid(account->table())) require_owner(account->table());
    for (const auto* other : list<LinkRow>(links_of_account(row->account()))) {
      if (other->parent() != table) continue;
      ereport(ERROR,
              (errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
               errmsg("table \"%s\" is linked to table \"%s\"", other->name(), get_rel_name(table)),
               errhint("End that with idp.unlink first.")));
    }
    delete_link(*row);
    if (account != nullptr) keep_past(table, *account);
  }
  set_locks(list_make1_oid(table), false);
  ereport(
      NOTICE,
      (errmsg("rows of table \"%s\" are protected no more", get_rel_name(table)),
       errdetail("Roles that have SELECT on it can read them, until it is protected or linked.")));
  PG_RETURN_VOID();
}

}  // namespace

void refuse_past_of_rows(Oid table) {
  ereport(
      ERROR,
      (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
       errmsg("what was spent about rows of table \"%s\" has no bound for a unit",
              get_rel_name(table)),
       errdetail("Each of its rows was protected by itself, or as one of other units, and a unit "
                 "may have had any number of them."),
       errhint("Forget it with forget => true: the ledger keeps that. Otherwise let the table "
               "stay as it is.")));
  pg_unreachable();
}

void require_no_past(Oid table, int32 account, Past past, const char* where) {
  for (const auto* about : list<AccountAbout>(accounts_about(table))) {
    const int32 other = about->row->id();
    if (other == account || !has_spent_beside(other, other)) continue;
    if (past == Past::kCounts) refuse_past_of_rows(table);
    note_forgotten(other, account, where);
  }
}

void require_no_link_of_part(Oid part) {
  if (links_for_table(part) == NIL) return;  // one that waits for its name, too
  ereport(ERROR,
          (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
           errmsg("table \"%s\" is linked already", get_rel_name(part)),
           errdetail("Rows of a part belong to the units that those of the whole belong to."),
           errhint("End that with idp.unlink first.")));
}

void end_links_of_others(Oid table) {
  for (const auto* row : list<LinkRow>(links_for_table(table))) {
    (void)end_link_of_others(*row, table);
  }
}

void require_own_account(Oid table) {
  if (link_of(table) == nullptr) return;
  ereport(ERROR,
          (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
           errmsg("table \"%s\" is linked and shares the account of its unit", get_rel_name(table)),
           errhint("End that with idp.unlink first.")));
}

void require_unit(Oid table, const AccountRow* known, const char* column) {
  const char* before = known == nullptr ? nullptr : known->unit();
  const bool changes = before == nullptr ||
                       (known->table() == table ? known->unit_column() != get_attnum(table, column)
                                                : strcmp(before, column) != 0);
  if (changes && before != nullptr && links_of_account(known->id()) != NIL) {
    ereport(ERROR,
            (errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
             errmsg("units of table \"%s\" cannot be told apart by another column",
                    get_rel_name(table)),
             errdetail("Tables are linked to it."), errhint("End that with idp.unlink first.")));
  }
  require_no_children(table);
  require_key(table, column_named(table, column));
}

List* lock_linked_tables(int32 account) {
  List* tables = NIL;
  for (const auto* row : list<LinkRow>(links_of_account(account))) {
    const Oid table = row->table();
    if (!OidIsValid(table)) continue;
    LockRelationOid(table, AccessExclusiveLock);
    (void)find_all_inheritors(table, AccessExclusiveLock, nullptr);
    tables = lappend_oid(tables, table);
  }
  return tables;
}

void set_locks(List* tables, bool hidden) {
  for (const Oid oid : oids(tables)) set_lock(oid, hidden);
}

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

IDP_FUNCTION(idp_link, link);
IDP_FUNCTION(idp_unlink, unlink);

}  // extern "C"
#pragma GCC visibility pop
