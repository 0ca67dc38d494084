#include "extension/budget/past.h"

#include "core/accounting/approximate.h"
#include "core/accounting/rule_change.h"
#include "extension/budget/account.h"
#include "extension/budget/amount.h"
#include "extension/budget/balance.h"
#include "extension/catalog/changed_rules.h"
#include "extension/catalog/columns.h"
#include "extension/catalog/store.h"
#include "extension/pg/guard.h"
#include "extension/pg/nodes.h"

extern "C" {
#include "utils/fmgroids.h"
}

namespace idp {

namespace {

using namespace charge_column;

struct Amount {
  Datum epsilon;  // numeric, as the following
  Datum delta;
};

Amount none() { return {no_amount(), no_amount()}; }

Amount plus(const Amount& a, const Amount& b) {
  return {sum_of(a.epsilon, b.epsilon), sum_of(a.delta, b.delta)};
}

bool is_nothing(const Amount& amount) { return is_none(amount.epsilon) && is_none(amount.delta); }

Datum beyond(Datum required, Datum there) {
  return is_less(there, required) ? difference_of(required, there) : no_amount();
}

struct Entry {
  Amount amount;
  int32 from;  // the account that it was carried over from; 0 if it is for an answer
  const char* aggregate;
};

// Calls visit(entry) for all that was charged to an account.
template <class Visit>
void for_each_entry(int32 account, Visit visit) {
  StoreScan scan(Table::kCharge, "charge_pkey");
  scan.add_key(kAccount + 1, F_INT4EQ, Int32GetDatum(account));
  Datum values[charge_column::kCount];
  bool nulls[charge_column::kCount];
  nulls[kDelta] = nulls[kCarriedFrom] = true;  // unless the table has these columns
  while (scan.next(values, nulls)) {
    visit(Entry{{values[kEpsilon], nulls[kDelta] ? no_amount() : values[kDelta]},
                nulls[kCarriedFrom] ? 0 : DatumGetInt32(values[kCarriedFrom]),
                TextDatumGetCString(values[kAggregate])});
  }
  scan.close();
}

double above(Datum amount) {
  const double nearest = DatumGetFloat8(DirectFunctionCall1(numeric_float8, amount));
  return std::nextafter(nearest, std::numeric_limits<double>::infinity());
}

// What an (epsilon, delta)-private answer means that many steps away.
Amount steps_away(const Amount& amount, int steps) {
  const Datum epsilon = decimal_times(amount.epsilon, steps);
  if (steps == 1 || is_none(amount.delta)) return {epsilon, amount.delta};
  double delta = 1;
  const ApproximateLoss once{mpq_class(above(amount.epsilon)), mpq_class(above(amount.delta))};
  guarded([&] { delta = loss_of_group(once, static_cast<unsigned long>(steps)).delta.get_d(); });
  return {epsilon, decimal_of(std::min(1.0, std::nextafter(delta, 2.0)))};
}

// The same of an answer where one record takes the place of another. Groups decide apart whether
// they are kept, the one that is left and the one that is entered: delta counts twice, as it does
// where such an answer is charged. Where two units change, which may both be in either group, that
// is two steps.
Amount substituted(const Entry& entry, int factor, bool of_units) {
  if (of_units) return steps_away(entry.amount, factor);
  return {decimal_times(entry.amount.epsilon, factor), decimal_times(entry.amount.delta, factor)};
}

const AccountRow* row_of_account(int32 id) {
  return static_cast<AccountRow*>(linitial(rows_numbered(id)));
}

// Charges an account, which is locked, for another one or for itself.
void charge(int32 to, int32 from, const Amount& amount, const char* where, Balance* balance) {
  auto* account = static_cast<Account*>(palloc0(sizeof(Account)));
  account->id = to;
  Charge charge{account, where, amount.epsilon, nullptr,
                nullptr, 0,     false,          is_none(amount.delta) ? Datum{0} : amount.delta};
  charge.carried_from = from;
  make_charge(charge, balance);
  make_durable();
}

// Charges the account what is missing, under its lock, or has it forgotten.
template <class Missing>
void settle(int32 to, int32 from, Past past, Missing missing) {
  prepare_to_write();
  StoreLock lock(Table::kAccount, static_cast<uint32>(to));
  Balance balance = balance_of(to, row_of_account(to)->renewal());
  const Amount amount = missing(balance);
  if (!is_nothing(amount)) {
    note_changed_rules();
    if (past == Past::kCounts) {
      charge(to, from, amount, "idp.protect", &balance);
    } else {
      charge(to, from, none(), "idp.protect(forget => true)", &balance);
    }
  }
  lock.release();
}

// What an account has spent that did not come from another one; or, if it did alone.
Amount spent_of(int32 account, int32 other, bool from_other, int steps) {
  Amount spent = none();
  for_each_entry(account, [&](const Entry& entry) {
    if ((entry.from == other) != from_other) return;
    spent = plus(spent, steps_away(entry.amount, steps));
  });
  return spent;
}

}  // namespace

namespace {

enum class Answers { kAll, kLocal };

// The accounts that an account has entries of; 0 stands for its own answers.
List* sources_of(int32 account) {
  List* sources = NIL;
  for_each_entry(
      account, [&](const Entry& entry) { sources = list_append_unique_int(sources, entry.from); });
  return sources;
}

bool is_charged_for(int32 account, Answers answers) {
  bool found = false;
  for_each_entry(account, [&](const Entry& entry) {
    found |= answers == Answers::kAll || strncmp(entry.aggregate, "idp_", 4) == 0;
  });
  return found;
}

// Whether an account was charged for such answers about units, or another was that it has the past
// of.
bool has_past_of_units(int32 account, Answers answers, List** known) {
  if (account == 0 || list_member_int(*known, account)) return false;
  *known = lappend_int(*known, account);
  if (row_of_account(account)->unit() != nullptr && is_charged_for(account, answers)) return true;
  for (const int number : ints(sources_of(account))) {
    if (has_past_of_units(number, answers, known)) return true;
  }
  return false;
}

bool has_past_of_units(int32 account, Answers answers) {
  List* known = NIL;
  return has_past_of_units(account, answers, &known);
}

// Charges an account with what it has spent, so that it has spent `factor` times as much.
void count_again(int32 account, int factor, Past past) {
  // Each has an entry of its own, so that it is known what came from it.
  for (const int number : ints(sources_of(account))) {
    const int32 source = number;
    const bool of_units = has_past_of_units(source, Answers::kAll);
    settle(account, source, past, [&](const Balance&) {
      Amount more = none();
      for_each_entry(account, [&](const Entry& entry) {
        if (entry.from != source) return;
        const Amount now = substituted(entry, factor, of_units);
        more = plus(more, {difference_of(now.epsilon, entry.amount.epsilon),
                           difference_of(now.delta, entry.amount.delta)});
      });
      return more;
    });
  }
}

}  // namespace

void update_rules(const AccountRow& before, AccountRow* now, Past past) {
  using namespace account_column;
  const int factor = factor_between(before.neighbours(), now->neighbours());
  if (factor > 1) {
    now->values[kWidened] = Int64GetDatum(balance_of(now->id(), nullptr).entry);
    now->nulls[kWidened] = false;
  }
  const bool changes_units = (before.unit() == nullptr) != (now->unit() == nullptr) ||
                             before.per_partition() != now->per_partition();
  if (before.neighbours() != now->neighbours() || changes_units) note_changed_rules();
  update_account(*now);
  if (factor > 1) count_again(now->id(), factor, past);
}

void carry_most(const AccountRow& from, const AccountRow& to, Past past) {
  const int factor = factor_between(from.neighbours(), to.neighbours());
  const Balance behind = balance_of(from.id(), from.renewal());
  settle(to.id(), from.id(), past, [&](const Balance& balance) {
    const auto missing = [&](Datum in_all, Datum in_period, Datum there, Datum there_now) {
      const Datum a = beyond(decimal_times(in_all, factor), there);
      const Datum b = beyond(decimal_times(in_period, factor), there_now);
      return is_less(a, b) ? b : a;
    };
    return Amount{
        missing(behind.total, behind.spent, balance.total, balance.spent),
        missing(behind.total_delta, behind.spent_delta, balance.total_delta, balance.spent_delta)};
  });
}

void carry_beside(int32 from, int32 to, int factor, Past past) {
  settle(to, from, past, [&](const Balance&) {
    const Amount required = spent_of(from, to, false, factor);
    const Amount there = spent_of(to, from, true, 1);
    return Amount{beyond(required.epsilon, there.epsilon), beyond(required.delta, there.delta)};
  });
}

void add_part(const AccountRow& part, const AccountRow& whole, int times, Past past) {
  if (whole.neighbours() == Neighbours::kAddRemove) {
    carry_most(part, whole, past);
  } else {
    carry_beside(part.id(), whole.id(),
                 times * factor_between(part.neighbours(), whole.neighbours()), past);
  }
}

bool has_spent_beside(int32 account, int32 other) {
  return !is_nothing(spent_of(account, other, false, 1));
}

bool has_local_answers_of_units(int32 account) {
  for (const int number : ints(sources_of(account))) {
    if (has_past_of_units(number, Answers::kLocal)) return true;
  }
  return false;
}

void require_no_local_answers(Oid table, const AccountRow& account, Past past) {
  const bool is_row = account.unit() == nullptr && account.neighbours() == Neighbours::kSubstitute;
  if (past == Past::kForgotten || !is_row || !has_local_answers_of_units(account.id())) return;
  ereport(ERROR,
          (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
           errmsg("what answers about units tell of rows of table \"%s\" that are substituted is "
                  "not bounded",
                  get_rel_name(table)),
           errdetail("A row that takes the place of another changes two units; idp_ answers were "
                     "given that hide one."),
           errhint("Protect it with neighbours => 'add_remove', or forget what was spent with "
                   "forget => true: the ledger keeps that.")));
}

void note_forgotten(int32 from, int32 to, const char* where) {
  prepare_to_write();
  StoreLock lock(Table::kAccount, static_cast<uint32>(to));
  Balance balance = balance_of(to, row_of_account(to)->renewal());
  charge(to, from, none(), where, &balance);
  lock.release();
}

}  // namespace idp
