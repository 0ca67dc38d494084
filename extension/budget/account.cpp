#include "extension/budget/account.h"

#include "core/accounting/rule_change.h"
#include "core/aggregate/times_lost.h"
#include "extension/budget/amount.h"
#include "extension/budget/asker_total.h"
#include "extension/budget/balance.h"
#include "extension/budget/role_limit.h"
#include "extension/catalog/account_rows.h"
#include "extension/catalog/link_rows.h"
#include "extension/catalog/store.h"
#include "extension/catalog/stored_text.h"
#include "extension/pg/catalog_lookup.h"
#include "extension/pg/guard.h"
#include "extension/pg/nodes.h"
#include "extension/pg/parents.h"
#include "extension/pg/remembered.h"

extern "C" {
#include "catalog/namespace.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"
}

namespace idp {

namespace {

using namespace charge_column;

// The name of a table for messages: with its schema where the name alone does not find it.
char* name_in_session(Oid table) {
  char* name = get_rel_name(table);
  if (name == nullptr || RelationIsVisible(table)) return name;
  return psprintf("%s.%s", get_namespace_name(get_rel_namespace(table)), name);
}

Account* account_of_row(const AccountRow& row) {
  using namespace account_column;
  auto* account = static_cast<Account*>(palloc0(sizeof(Account)));
  account->id = row.id();
  const Oid table = row.table();
  account->waits = !OidIsValid(table);
  account->table = table;
  account->hidden = row.hidden();
  account->name = account->waits ? row.name() : name_in_session(table);
  account->unit = row.unit();
  account->unit_column = row.unit_column();
  account->most = Multiplicity::of(1);
  account->budget = row.values[kBudget];
  account->delta =
      row.nulls[account_column::kDelta] ? no_amount() : row.values[account_column::kDelta];
  account->neighbours = row.neighbours();
  account->min_epsilon = row.nulls[kMinEpsilon] ? 0 : DatumGetFloat8(row.values[kMinEpsilon]);
  account->epsilon = row.nulls[account_column::kEpsilon]
                         ? 0
                         : DatumGetFloat8(row.values[account_column::kEpsilon]);
  account->max_epsilon = row.nulls[kMaxEpsilon] ? 0 : DatumGetFloat8(row.values[kMaxEpsilon]);
  account->floor = row.nulls[kFloor] ? 0 : DatumGetFloat8(row.values[kFloor]);
  account->renewal = row.renewal();
  account->repeats = row.repeats();
  account->per_partition = row.per_partition();
  account->part_of = row.part_of();
  account->widened = row.nulls[kWidened] ? 0 : DatumGetInt64(row.values[kWidened]);
  return account;
}

// Appends the active accounts of the rows, without repeating one.
List* append_active(List* accounts, List* rows) {
  for (const auto* row : list<AccountRow>(rows)) {
    if (row->active()) accounts = union_of(accounts, list_make1(account_of_row(*row)));
  }
  return accounts;
}

// The account of the table, the one it is linked to, and one that waits for a table of its name.
// True if there are no accounts at all.
bool append_own_account(List** accounts, Oid relation) {
  const RowsFor rows = rows_for(relation);
  if (!rows.any) return true;
  *accounts = append_active(*accounts, rows.own);
  for (auto* row : list<LinkRow>(links_for_table(relation))) {
    *accounts = append_active(*accounts, rows_numbered(row->account()));
  }
  for (auto* row : list<AccountRow>(rows.waiting)) {
    if (waits_for(*row, relation)) *accounts = append_active(*accounts, list_make1(row));
  }
  return false;
}

// What the chains of a family may be refined to, and since when.
struct FamilyLevel {
  double epsilon = 0;  // 0 if nothing was charged
  TimestampTz at = 0;
};

FamilyLevel level_of_family(const Account& account, const pg_uuid_t& family) {
  StoreScan scan(Table::kCharge, "charge_family", StoreScan::Order::kBackward);
  scan.add_key(kFamily + 1, F_UUID_EQ, UUIDPGetDatum(&family));
  scan.add_key(kAccount + 1, F_INT4EQ, Int32GetDatum(account.id));
  Datum values[charge_column::kCount];
  bool nulls[charge_column::kCount];
  FamilyLevel level;
  if (scan.next(values, nulls)) {
    level = {DatumGetFloat8(values[kFamilyEpsilon]), DatumGetTimestampTz(values[kAt])};
  }
  scan.close();
  return level;
}

// The first entry that was charged for a family; 0 if there is none.
int64 first_entry_of_family(const Account& account, const pg_uuid_t& family) {
  StoreScan scan(Table::kCharge, "charge_family");
  scan.add_key(kFamily + 1, F_UUID_EQ, UUIDPGetDatum(&family));
  scan.add_key(kAccount + 1, F_INT4EQ, Int32GetDatum(account.id));
  Datum values[charge_column::kCount];
  bool nulls[charge_column::kCount];
  const int64 entry = scan.next(values, nulls) ? DatumGetInt64(values[kEntry]) : 0;
  scan.close();
  return entry;
}

}  // namespace

void make_charge(const Charge& charge, Balance* balance) {
  const Datum asker = present_asker();
  const Datum before =
      has_asker_totals()
          ? total_of_asker(charge.account->id, DatumGetArrayTypeP(asker), balance->entry)
          : no_amount();
  ++balance->entry;
  balance->total = sum_of(balance->total, charge.epsilon);
  if (charge.delta != 0) balance->total_delta = sum_of(balance->total_delta, charge.delta);
  Datum values[charge_column::kCount] = {};
  bool nulls[charge_column::kCount] = {};
  values[kAccount] = Int32GetDatum(charge.account->id);
  values[kEntry] = Int64GetDatum(balance->entry);
  values[kAt] = TimestampTzGetDatum(balance->now);
  values[kRole] = CStringGetTextDatum(current_role_name());
  values[kAggregate] = CStringGetTextDatum(charge.aggregate);
  values[kEpsilon] = charge.epsilon;
  values[kSpent] = balance->total;
  nulls[kRelease] = charge.release == nullptr;
  if (charge.release) values[kRelease] = CStringGetTextDatum(short_form(charge.release));
  nulls[kFamily] = nulls[kFamilyEpsilon] = charge.family == nullptr;
  if (charge.family) {
    values[kFamily] = UUIDPGetDatum(charge.family);
    values[kFamilyEpsilon] = Float8GetDatum(charge.family_epsilon);
  }
  nulls[kDelta] = charge.delta == 0;
  values[kDelta] = charge.delta;
  nulls[kDeltaSpent] = is_none(balance->total_delta);
  values[kDeltaSpent] = balance->total_delta;
  values[kOuterRole] = CStringGetTextDatum(GetUserNameFromId(GetOuterUserId(), false));
  values[kSessionRole] = CStringGetTextDatum(GetUserNameFromId(GetSessionUserId(), false));
  values[kAsker] = asker;
  values[kAskerSpent] = sum_of(before, charge.epsilon);
  nulls[kCarriedFrom] = charge.carried_from == 0;
  values[kCarriedFrom] = Int32GetDatum(charge.carried_from);
  insert_row(Table::kCharge, values, nulls);
  if (charge.number != nullptr) *charge.number = {charge.account->id, balance->entry};
}

namespace {

// Those whose budgets are for each partition, and their shares.
List* all_accounts(Oid relation) {
  List* accounts = NIL;
  if (!store_exists()) return NIL;
  List* tables = list_make1_oid(relation);
  for (const Oid oid : oids(tables)) {  // grows while it is walked
    if (append_own_account(&accounts, oid)) return NIL;
    tables = list_concat_unique_oid(tables, parents_of(oid));
  }
  return accounts;
}

bool is_share_of(const Account& share, const Account& whole) {
  return whole.per_partition && share.part_of == whole.id;
}

bool has_share(const Account& whole, const Account& other) { return is_share_of(other, whole); }

// The accounts that none of the others replaces.
List* without_replaced(List* accounts, bool (*is_replaced_by)(const Account&, const Account&)) {
  List* left = NIL;
  for (auto* account : list<Account>(accounts)) {
    bool is_replaced = false;
    for (const auto* each : list<Account>(accounts)) {
      is_replaced |= is_replaced_by(*account, *each);
    }
    if (!is_replaced) left = lappend(left, account);
  }
  return left;
}

struct AccountsOfTable {
  Oid table;
  List* accounts;
};

Remembered<AccountsOfTable> remembered;

// Of its own, as calls note in accounts what holds for them.
List* copy_of_accounts(const List* accounts) {
  List* copies = NIL;
  for (const auto* account : list<Account>(accounts)) {
    auto* copy = static_cast<Account*>(palloc(sizeof(Account)));
    *copy = *account;
    copies = lappend(copies, copy);
  }
  return copies;
}

List* accounts_looked_up(Oid relation) {
  return without_replaced(all_accounts(relation), has_share);
}

}  // namespace

List* accounts_of(Oid relation) {
  const AccountsOfTable found =
      remembered.of([&](const AccountsOfTable& known) { return known.table == relation; },
                    [&] {
                      return AccountsOfTable{relation, accounts_looked_up(relation)};
                    });
  return copy_of_accounts(found.accounts);
}

List* protecting_accounts(Oid relation) {
  return without_replaced(all_accounts(relation), is_share_of);
}

List* accounts_of_all(List* relations) {
  List* accounts = NIL;
  for (const Oid oid : oids(relations)) accounts = union_of(accounts, accounts_of(oid));
  return accounts;
}

List* accounts_numbered(ArrayType* ids) {
  List* accounts = NIL;
  const int count = ArrayGetNItems(ARR_NDIM(ids), ARR_DIMS(ids));
  const auto* numbers = reinterpret_cast<const int32*>(ARR_DATA_PTR(ids));
  for (int i = 0; i < count; ++i) {
    accounts = append_active(accounts, rows_numbered(numbers[i]));
  }
  return accounts;
}

List* union_of(List* accounts, List* others) {
  for (auto* account : list<Account>(others)) {
    bool known = false;
    for (auto* each : list<Account>(accounts)) known |= each->id == account->id;
    if (!known) accounts = lappend(accounts, account);
  }
  return accounts;
}

bool all_repeat(const List* accounts) {
  for (const auto* account : list<Account>(accounts)) {
    if (account->repeats == nullptr) return false;
  }
  return accounts != NIL;
}

void require_min_epsilon(List* accounts, double epsilon) {
  for (const auto* account : list<Account>(accounts)) {
    if (epsilon >= account->min_epsilon) continue;
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("epsilon is below the minimum of table \"%s\": give at least %s",
                           account->name, amount_text(decimal_of(account->min_epsilon)))));
  }
}

void require_max_epsilon(List* accounts, double epsilon) {
  for (const auto* account : list<Account>(accounts)) {
    if (account->max_epsilon == 0 || epsilon <= account->max_epsilon) continue;
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("epsilon is above the maximum of table \"%s\": give at most %s",
                           account->name, amount_text(decimal_of(account->max_epsilon))),
                    errhint("For plain aggregates it is the setting idp.epsilon.")));
  }
}

double default_epsilon(List* accounts) {
  double least = 0;
  for (const auto* account : list<Account>(accounts)) {
    const double epsilon = account->epsilon;
    if (epsilon > 0 && (least == 0 || epsilon < least)) least = epsilon;
  }
  return least;
}

void require_accounts_with_delta(List* accounts, const char* aggregate) {
  for (const auto* account : list<Account>(accounts)) {
    if (!is_none(account->delta)) continue;
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("%s is not answered over table \"%s\", which has no delta: its owner can "
                    "allow one with idp.protect",
                    aggregate, account->name),
             errdetail("Its answers are (epsilon, delta)-private, those of the table are promised "
                       "to be epsilon-private."),
             errhint("Have the owner of the table allow a delta: idp.protect(…, delta => 1e-6).")));
  }
}

bool has_parts(const Account& account) { return account.per_partition || account.part_of != 0; }

Neighbours neighbours_of(List* accounts) {
  for (const auto* account : list<Account>(accounts)) {
    if (account->neighbours != Neighbours::kAddRemove) return Neighbours::kSubstitute;
  }
  return accounts == NIL ? Neighbours::kSubstitute : Neighbours::kAddRemove;
}

int times_lost(const Account& account, const Spec& spec, Neighbours drawn, bool grouped) {
  int times = 2;
  guarded(
      [&] { times = times_lost(spec, drawn, account.neighbours, grouped || has_parts(account)); });
  return times;
}

// The charges of one account, decided while it is locked.
struct Decision {
  const Account* account;
  StoreLock lock;
  Balance balance;
  List* charges;  // of Charge: to be made
  Datum needed;   // their sum, and what is reserved
  Datum reserved;
  Datum needed_delta;
  RoleLimit limit;
  bool only_refines;  // whether all of them are for releases that were charged before
};

namespace {

int by_number(const ListCell* a, const ListCell* b) {
  return static_cast<Account*>(lfirst(a))->id - static_cast<Account*>(lfirst(b))->id;
}

// A class of its own: clients and pools take the server's class 53, insufficient resources, for
// something that passes, and ask again.
constexpr int kBudgetExhausted = MAKE_SQLSTATE('I', 'D', 'P', '0', '1');

bool fits(Datum budget, Datum spent, Datum needed) {
  return !is_less(budget, sum_of(spent, needed));
}

bool has_role_room(const Decision& decision) {
  const RoleLimit& limit = decision.limit;
  return limit.role == nullptr || fits(limit.budget, limit.spent, decision.needed);
}

bool has_account_room(const Decision& decision) {
  return fits(decision.account->budget, decision.balance.spent, decision.needed);
}

bool has_delta_room(const Decision& decision) {
  return is_none(decision.needed_delta) ||
         fits(decision.account->delta, decision.balance.spent_delta, decision.needed_delta);
}

bool has_room(const Decision& decision) {
  if (!has_delta_room(decision)) return false;
  if (is_none(decision.needed)) return true;
  return has_account_room(decision) && has_role_room(decision);
}

char* remaining_text(Datum budget, Datum spent) {
  const bool is_overdrawn = is_less(budget, spent);
  return amount_text(is_overdrawn ? no_amount() : difference_of(budget, spent));
}

// A new period helps if the whole of what it brings is enough.
const char* wait_for(const Decision& decision, Datum budget, Datum needed) {
  const TimestampTz ends = decision.balance.ends;
  if (ends == DT_NOEND || !fits(budget, no_amount(), needed)) return "";
  return psprintf(", wait until %s, when a new period begins", timestamptz_to_str(ends));
}

int ways_out(const Decision& decision, Datum budget, const char* of_owner) {
  return errhint("Ask for less%s%s, or have the owner of the table %s.",
                 decision.only_refines ? "" : ", refine a release that exists already",
                 wait_for(decision, budget, decision.needed), of_owner);
}

[[noreturn]] void refuse_role(const Decision& decision) {
  const RoleLimit& limit = decision.limit;
  ereport(ERROR, (errcode(kBudgetExhausted),
                  errmsg("privacy budget of role \"%s\" for table \"%s\" is exhausted", limit.role,
                         decision.account->name),
                  errdetail("The query needs %s; %s of %s remains.", amount_text(decision.needed),
                            remaining_text(limit.budget, limit.spent), amount_text(limit.budget)),
                  ways_out(decision, limit.budget, "raise the limit with idp.limit_role")));
  pg_unreachable();
}

[[noreturn]] void refuse_delta(const Decision& decision) {
  const Account& account = *decision.account;
  ereport(ERROR,
          (errcode(kBudgetExhausted), errmsg("delta of table \"%s\" is exhausted", account.name),
           errdetail("The query needs %s; %s of %s remains.", amount_text(decision.needed_delta),
                     remaining_text(account.delta, decision.balance.spent_delta),
                     amount_text(account.delta)),
           errhint("Ask with a smaller delta%s, or have the owner of the table raise it with "
                   "idp.protect(…, delta => …).",
                   wait_for(decision, account.delta, decision.needed_delta))));
  pg_unreachable();
}

void require_room(const Decision& decision) {
  if (has_room(decision)) return;
  if (!has_delta_room(decision)) refuse_delta(decision);
  if (has_account_room(decision)) refuse_role(decision);
  const Account& account = *decision.account;
  ereport(ERROR, (errcode(kBudgetExhausted),
                  errmsg("privacy budget of table \"%s\" is exhausted", account.name),
                  errdetail("The query needs %s; %s of %s remains.", amount_text(decision.needed),
                            remaining_text(account.budget, decision.balance.spent),
                            amount_text(account.budget)),
                  account.waits
                      ? errhint("This is the account of a table of that name that was dropped. The "
                                "owner of the present one can end it with idp.unprotect.")
                      : ways_out(decision, account.budget, "raise its budget")));
}

}  // namespace

Charging::Charging(List* accounts) {
  List* ordered = list_copy(accounts);
  list_sort(ordered, by_number);  // so that two sessions never wait for each other
  for (const auto* account : list<Account>(ordered)) {
    StoreLock lock(Table::kAccount, static_cast<uint32>(account->id));
    auto* decision = static_cast<Decision*>(palloc(sizeof(Decision)));
    const Balance balance = balance_of(account->id, account->renewal);
    const RoleLimit limit = least_limit(account->id, account->part_of, balance);
    *decision = {account, lock, balance, NIL, no_amount(), no_amount(), no_amount(), limit, true};
    decisions_ = lappend(decisions_, decision);
  }
}

LevelCost Charging::cost_of_level(const Account& account, const pg_uuid_t* family, double epsilon,
                                  int count, double counted) const {
  const FamilyLevel charged = family ? level_of_family(account, *family) : FamilyLevel{};
  const bool refines = charged.epsilon > 0;
  const double before = Max(charged.epsilon, counted);
  const double finest = Max(epsilon, before);
  const bool is_earlier =
      counted <= charged.epsilon && charged.at < decision_of(account)->balance.starts;
  // with several epsilons it may be finer although the first is not
  const bool tells_more = epsilon > before || (is_earlier && refines && count > 1);
  if (!tells_more) return {no_amount(), refines, finest};
  if (!is_earlier) return {decimal_beyond(epsilon, before), refines, finest};
  // what an earlier period has paid for counts once more in this one: core/accounting/period.h
  return {sum_of(decimal_of(finest), decimal_of(before)), refines, finest};
}

int Charging::times_of(const Account& account, const pg_uuid_t& family, int times) {
  if (times > 1 || account.widened == 0 || account.neighbours == Neighbours::kAddRemove) {
    return times;
  }
  // one that another account was charged for may be as old
  const bool is_newer = first_entry_of_family(account, family) > account.widened;
  return is_newer ? times : factor_between(Neighbours::kAddRemove, account.neighbours);
}

Decision* Charging::decision_of(const Account& account) const {
  for (auto* decision : list<Decision>(decisions_)) {
    if (decision->account->id == account.id) return decision;
  }
  elog(ERROR, "account %d is not locked", account.id);
  pg_unreachable();
}

bool Charging::is_earlier(const Account& account, TimestampTz at) const {
  return account.renewal != nullptr && at < decision_of(account)->balance.starts;
}

void Charging::add(const Charge& charge) {
  auto* copy = static_cast<Charge*>(palloc(sizeof(Charge)));
  *copy = charge;
  Decision* decision = decision_of(*charge.account);
  decision->charges = lappend(decision->charges, copy);
  decision->needed = sum_of(decision->needed, charge.epsilon);
  if (charge.delta != 0) decision->needed_delta = sum_of(decision->needed_delta, charge.delta);
  decision->only_refines &= charge.refines;
}

void Charging::reserve(const Account& account, Datum epsilon, bool refines) {
  Decision* decision = decision_of(account);
  decision->needed = sum_of(decision->needed, epsilon);
  decision->reserved = sum_of(decision->reserved, epsilon);
  decision->only_refines &= refines;
}

List* Charging::costs() const {
  List* costs = NIL;
  for (const auto* decision : list<Decision>(decisions_)) {
    const Account& account = *decision->account;
    Datum charged = no_amount();
    for (const auto* charge : list<Charge>(decision->charges)) {
      charged = sum_of(charged, charge->epsilon);
    }
    auto* cost = static_cast<Cost*>(palloc(sizeof(Cost)));
    *cost = {account.waits ? table_named(account.name) : account.table, charged,
             decision->needed_delta, decision->reserved};
    costs = lappend(costs, cost);
  }
  return costs;
}

bool Charging::fits() const {
  for (const auto* decision : list<Decision>(decisions_)) {
    if (!has_room(*decision)) return false;
  }
  return true;
}

TimestampTz Charging::ends() const {
  TimestampTz ends = DT_NOEND;
  for (const auto* decision : list<Decision>(decisions_)) {
    ends = Min(ends, decision->balance.ends);
  }
  return ends;
}

void require_period(TimestampTz ends) {
  if (ends == DT_NOEND || GetCurrentTimestamp() < ends) return;
  ereport(ERROR, (errcode(kBudgetExhausted),
                  errmsg("private answer is not given after the period whose budget paid for it"),
                  errdetail("That ended at %s.", timestamptz_to_str(ends)), errhint("Ask again.")));
}

void Charging::abandon() {
  for (auto* decision : list<Decision>(decisions_)) decision->lock.release();
}

bool Charging::commit() {
  bool any = false;
  for (const auto* decision : list<Decision>(decisions_)) require_room(*decision);
  for (auto* decision : list<Decision>(decisions_)) {
    for (const auto* charge : list<Charge>(decision->charges)) {
      make_charge(*charge, &decision->balance);
      any = true;
    }
    decision->lock.release();
  }
  return any;
}

}  // namespace idp
