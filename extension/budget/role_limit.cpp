#include "extension/budget/role_limit.h"

#include "extension/budget/amount.h"
#include "extension/budget/asker_total.h"
#include "extension/catalog/account_rows.h"
#include "extension/catalog/link_rows.h"
#include "extension/catalog/own_rows.h"
#include "extension/catalog/store.h"
#include "extension/pg/arguments.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/nodes.h"
#include "extension/pg/own_objects.h"
#include "extension/pg/versions.h"

extern "C" {
#include "access/xact.h"
#include "catalog/indexing.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"
}

namespace idp {

namespace {

constexpr char kLimitTable[] = "role_limit";

// Calls visit(role, budget, place) for each limit of the account.
template <class Visit>
void for_each_limit(int32 account, Visit visit) {
  using namespace role_limit_column;
  ScanKeyData key;
  ScanKeyInit(&key, kAccount + 1, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(account));
  for_each_row<kCount>(kLimitTable, "role_limit_pkey", key,
                       [&](const Datum* values, const bool*, ItemPointerData place) {
                         visit(TextDatumGetCString(values[kRole]),
                               PointerGetDatum(PG_DETOAST_DATUM_COPY(values[kBudget])), place);
                       });
}

bool is_member(Oid role, Oid of) {
  return is_member_of_role_nosuper(role, of) && membership_counts(role, of);
}

// Superusers have the rights of all roles.
bool has_rights(Oid role, Oid of) { return is_member(role, of) && has_privs_of_role(role, of); }

bool is_bound(Oid limited) {
  return is_member(GetUserId(), limited) || is_member(GetOuterUserId(), limited) ||
         has_rights(GetSessionUserId(), limited);
}

// Whether what a role of that name was charged counts for the limit. A role that is gone may have
// been a member.
bool counts(Datum name, Oid limited, bool (*belongs)(Oid role, Oid of)) {
  const Oid role = get_role_oid(TextDatumGetCString(name), true);
  return !OidIsValid(role) || belongs(role, limited);
}

bool counts(const Datum (&names)[3], const bool (&nulls)[3], Oid limited) {
  return counts(names[0], limited, is_member) ||
         (!nulls[1] && counts(names[1], limited, is_member)) ||
         (!nulls[2] && counts(names[2], limited, has_rights));
}

bool counts(ArrayType* asker, Oid limited) {
  Datum* elements;
  bool* are_null;
  int count;
  deconstruct_array(asker, TEXTOID, -1, false, TYPALIGN_INT, &elements, &are_null, &count);
  if (count != 3) elog(ERROR, "asker of a charge has %d roles", count);
  const Datum names[] = {elements[0], elements[1], elements[2]};
  const bool nulls[] = {are_null[0], are_null[1], are_null[2]};
  return counts(names, nulls, limited);
}

// The same where the ledger has no totals.
Datum spent_by_rows(int32 account, Oid limited, const Balance& balance) {
  using namespace charge_column;
  Datum spent = no_amount();
  StoreScan scan(Table::kCharge, "charge_pkey");
  scan.add_key(kAccount + 1, F_INT4EQ, Int32GetDatum(account));
  scan.add_bound(kEntry + 1, BTGreaterStrategyNumber, F_INT8GT, Int64GetDatum(balance.before));
  Datum values[kCount];
  bool nulls[kCount];
  nulls[kOuterRole] = nulls[kSessionRole] = true;  // unless the table has these columns
  while (scan.next(values, nulls)) {
    const Datum names[] = {values[kRole], values[kOuterRole], values[kSessionRole]};
    const bool are_null[] = {nulls[kRole], nulls[kOuterRole], nulls[kSessionRole]};
    if (counts(names, are_null, limited)) spent = sum_of(spent, values[kEpsilon]);
  }
  scan.close();
  return spent;
}

Datum spent_by(int32 account, Oid limited, const Balance& balance) {
  if (!has_asker_totals()) return spent_by_rows(account, limited, balance);
  Datum spent = no_amount();
  for (auto* asker : list<ArrayType>(askers_of(account))) {
    if (!counts(asker, limited)) continue;
    spent = sum_of(spent, total_of_asker(account, asker, balance.entry));
    if (balance.before == 0) continue;
    spent = difference_of(spent, total_of_asker(account, asker, balance.before));
  }
  return spent;
}

Datum remaining(const RoleLimit& limit) { return difference_of(limit.budget, limit.spent); }

}  // namespace

namespace {

// VACUUM, REINDEX and the like execute functions of indexes as the owner of the table, in the
// session of somebody else. A role with a limit that may act as the owner may have left them there.
void require_known_asker(const char* role, Oid limited) {
  if (!InSecurityRestrictedOperation() || !is_member(limited, GetUserId())) return;
  ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                  errmsg("private answers are not given while a table of role \"%s\" is maintained",
                         GetUserNameFromId(GetUserId(), false)),
                  errdetail("Role \"%s\", a member of it, has a limit, and may be who asks.", role),
                  errhint("Ask in a session of your own.")));
}

}  // namespace

RoleLimit least_limit(int32 account, int32 whole, const Balance& balance) {
  RoleLimit least;
  const auto consider = [&](const char* role, Datum budget, ItemPointerData) {
    const Oid limited = get_role_oid(role, true);
    if (!OidIsValid(limited)) return;
    if (!is_bound(limited)) return require_known_asker(role, limited);
    const RoleLimit limit = {role, budget, spent_by(account, limited, balance)};
    if (least.role == nullptr || is_less(remaining(limit), remaining(least))) {
      least = limit;
    }
  };
  for_each_limit(account, consider);
  if (whole != 0) for_each_limit(whole, consider);
  return least;
}

const char* limit_of_another(int32 account, Oid reader) {
  const char* limit = nullptr;
  for_each_limit(account, [&](const char* role, Datum, ItemPointerData) {
    const Oid limited = get_role_oid(role, true);
    if (OidIsValid(limited) && !is_bound(limited) && is_member(reader, limited)) limit = role;
  });
  return limit;
}

namespace {

constexpr int kMostLinks = 100;  // they end at a unit's table

// The table that links lead to from a table, or the table itself.
Oid table_of_account(Oid table) {
  Oid found = table;
  for (int steps = 0; steps < kMostLinks; ++steps) {
    const List* links = links_for_table(found);
    if (links == NIL) return found;
    found = static_cast<const LinkRow*>(linitial(links))->parent();
  }
  return found;
}

// The active account of a table, which must have one, and be the current role's.
int32 own_account(Oid table) {
  if (!relation_exists(table)) {
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("table does not exist")));
  }
  if (!owns(table)) aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(table));
  for (const auto* row : list<AccountRow>(rows_of_table(table))) {
    if (row->active() && row->part_of() == 0) return row->id();
  }
  const Oid unit_table = table_of_account(table);
  if (unit_table != table) {
    const char* shared = get_rel_name(unit_table);
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("table \"%s\" shares the account of table \"%s\": limit the role there",
                           get_rel_name(table), shared),
                    errhint("SELECT idp.limit_role('%s', …)", shared)));
  }
  ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                  errmsg("table \"%s\" is not protected", get_rel_name(table)),
                  errhint("Give it a budget with idp.protect first.")));
}

// (table, role, budget): a null budget ends the limit.
Datum limit_role(FunctionCallInfo fcinfo) {
  using namespace role_limit_column;
  if (PG_ARGISNULL(0)) refuse_null("table");
  if (PG_ARGISNULL(1)) refuse_null("role");
  if (!PG_ARGISNULL(2)) require_budget(PG_GETARG_DATUM(2));
  PreventCommandIfReadOnly("idp.limit_role()");
  const int32 account = own_account(PG_GETARG_OID(0));
  const char* role = GetUserNameFromId(PG_GETARG_OID(1), false);
  // Until the end of the transaction, and for this account alone: owners of other tables set limits
  // meanwhile.
  const StoreLock lock(Table::kRoleLimit, static_cast<uint32>(account));
  Relation table = table_open(own_relation(kLimitTable), RowExclusiveLock);
  for_each_limit(account, [&](const char* name, Datum, ItemPointerData place) {
    if (strcmp(name, role) == 0) CatalogTupleDelete(table, &place);
  });
  if (!PG_ARGISNULL(2)) {
    Datum values[kCount] = {Int32GetDatum(account), CStringGetTextDatum(role), PG_GETARG_DATUM(2)};
    bool nulls[kCount] = {};
    CatalogTupleInsert(table, heap_form_tuple(RelationGetDescr(table), values, nulls));
  }
  table_close(table, NoLock);
  CommandCounterIncrement();
  PG_RETURN_VOID();
}

// (account): what the limits of who asks leave; null if none binds him. For people: it may be off
// while others are charged.
Datum limit_left(FunctionCallInfo fcinfo) {
  const List* rows = rows_numbered(PG_GETARG_INT32(0));
  if (rows == NIL || InSecurityRestrictedOperation()) PG_RETURN_NULL();
  const auto* row = static_cast<const AccountRow*>(linitial(rows));
  const RoleLimit limit =
      least_limit(row->id(), row->part_of(), balance_of(row->id(), row->renewal()));
  if (limit.role == nullptr) PG_RETURN_NULL();
  const Datum left = remaining(limit);
  PG_RETURN_DATUM(is_less(left, no_amount()) ? no_amount() : left);
}

// (account, role): what counts for the limit of the role; null if it has none that who asks may
// see.
Datum limit_spent(FunctionCallInfo fcinfo) {
  const List* rows = rows_numbered(PG_GETARG_INT32(0));
  const char* role = TextDatumGetCString(PG_GETARG_DATUM(1));
  const Oid limited = get_role_oid(role, true);
  if (rows == NIL || !OidIsValid(limited)) PG_RETURN_NULL();
  const auto* row = static_cast<const AccountRow*>(linitial(rows));
  const bool is_owner = OidIsValid(row->table()) && owns(row->table());
  if (!is_owner && !is_member(GetUserId(), limited)) PG_RETURN_NULL();
  bool has_limit = false;
  for_each_limit(row->id(), [&](const char* name, Datum, ItemPointerData) {
    has_limit = has_limit || strcmp(name, role) == 0;
  });
  if (!has_limit) PG_RETURN_NULL();
  PG_RETURN_DATUM(spent_by(row->id(), limited, balance_of(row->id(), row->renewal())));
}

}  // namespace

}  // namespace idp

#pragma GCC visibility push(default)
extern "C" {

PG_FUNCTION_INFO_V1(idp_limit_left);
Datum idp_limit_left(PG_FUNCTION_ARGS) { return idp::limit_left(fcinfo); }

PG_FUNCTION_INFO_V1(idp_limit_spent);
Datum idp_limit_spent(PG_FUNCTION_ARGS) { return idp::limit_spent(fcinfo); }

PG_FUNCTION_INFO_V1(idp_limit_role);
Datum idp_limit_role(PG_FUNCTION_ARGS) { return idp::limit_role(fcinfo); }

}  // extern "C"
#pragma GCC visibility pop
