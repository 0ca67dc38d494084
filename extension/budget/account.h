// Accounts: the privacy budgets of protected tables, and what was charged to them.
//
// A charge is a row of idp.charge with the total spent so far, so that the last row of an account
// is its balance. Charges of one account are made one after the other, under a lock that is held
// from reading the balance to inserting the row: two sessions never overspend.
#pragma once

#include "extension/pg/pg.h"

#include "core/accounting/unit.h"
#include "core/aggregate/spec.h"

extern "C" {
#include "datatype/timestamp.h"
}

namespace idp {

struct Account {
  int32 id;
  char* name;              // of the table, as the session calls it now
  bool waits;              // whether that was dropped, and is another one of its name now
  Oid table;               // invalid if it waits
  bool hidden;             // whether the rows are hidden from all but the owner
  const char* unit;        // the column that tells whose a row is; null if each row is one unit
  AttrNumber unit_column;  // its number; invalid if it is gone
  Datum budget;            // numeric
  Datum delta;             // likewise: how much may be spent beside it; 0 if there is none
  Neighbours neighbours;
  double min_epsilon;  // 0 if there is none
  double max_epsilon;  // likewise
  double epsilon;      // of plain aggregates, where nobody set another; 0 if there is none
  double floor;        // likewise: the least sensitivity of idp_ answers, in their units
  Interval* renewal;   // how long a budget lasts (core/accounting/period.h); null: for ever
  bool per_partition;  // whether its budget is that of each partition
  int32 part_of;       // the account that it is a partition's share of; 0 if there is none
  Interval* repeats;   // for how long the same question has the same answer, free; null: never
  int64 widened;       // its last entry of when one record more or less was the promise; or 0
  // Of a call: how many of the rows it reads one unit has at most.
  Multiplicity most;
  const struct Problem* unbounded;  // why that is not bounded
  Bitmapset* one_value;  // the aggregates of its node, by number, to which these are all one value
  List* masses;          // of BoundedMass (query/unit_rows.h), likewise
};

// The accounts that pay for answers about a table: its own, those of the tables it is a part of,
// and the one it is linked to, as they are now. Also one whose table was dropped and created again
// under its name, unless its owner ended it. In place of one that has a budget for each partition,
// the share of this one; a partition that has no share is charged to the account of all of them.
// Looked up once while a query is planned, and once while its start is checked (pg/remembered.h):
// each caller gets copies, and what is charged is read anew.
List* accounts_of(Oid relation);
// The same with the account of all partitions in place of a share: whose rules hold.
List* protecting_accounts(Oid relation);
// Those of several tables, each once.
List* accounts_of_all(List* relations);
// The active ones of those numbers.
List* accounts_numbered(ArrayType* ids);

// Both, each account once.
List* union_of(List* accounts, List* others);

// Whether there are accounts, and each lets answers repeat.
bool all_repeat(const List* accounts);

// Reports an error if epsilon is less than one of the accounts asks for.
void require_min_epsilon(List* accounts, double epsilon);

// The same if it is more than one of them allows.
void require_max_epsilon(List* accounts, double epsilon);

// The least epsilon that one of the accounts gives plain aggregates; 0 if none does.
double default_epsilon(List* accounts);

// Reports an error if one of the accounts has no delta to spend.
void require_accounts_with_delta(List* accounts, const char* aggregate);

// Which row of idp.charge it is.
struct ChargeNumber {
  int32 account;
  int64 entry;  // 0 before it is charged
};

// What is charged to an account for one aggregate call.
struct Charge {
  const Account* account;
  const char* aggregate;
  Datum epsilon;            // numeric
  const char* release;      // null if it has no name
  const pg_uuid_t* family;  // likewise: the chains it pays for
  double family_epsilon;    // what they may be refined to after this charge
  bool refines;             // whether they were charged before
  Datum delta = 0;          // numeric; null if there is none
  int32 carried_from = 0;   // the account whose past it is, for no answer; 0 if there is none
  struct ChargeNumber* number = nullptr;  // gets the number of its row; null if nobody asks
};

// Counts a charge, and inserts it. The account is locked.
void make_charge(const Charge& charge, struct Balance* balance);

// Whether its budget is that of each partition, or it is the share of one.
bool has_parts(const Account& account);

// What noise of epsilon-DP answers is for that are charged to these accounts: all neighbours if
// there is none, or if one of them declares that records are substituted.
Neighbours neighbours_of(List* accounts);

// How often the epsilon of an answer counts for an account (core/aggregate/times_lost.h).
int times_lost(const Account& account, const Spec& spec, Neighbours drawn, bool grouped);

// What the level of a release costs that is finer than those before.
struct LevelCost {
  Datum epsilon;  // numeric: 0 if it is not finer
  bool refines;   // whether others were charged before
  double finest;  // what the release may be refined to once that is charged
};

// What a decision is about to charge to an account.
struct Cost {
  Oid table;      // invalid if it is gone
  Datum epsilon;  // numeric, all of them: of what has no release name
  Datum delta;
  Datum reserved;  // what releases may cost beside it
};

// Refuses an answer that is drawn after the period that it was charged to: its odds are those of
// the period it is drawn in (core/accounting/period.h).
void require_period(TimestampTz ends);

// One decision about what to charge. From construction to commit() or abandon() nobody else charges
// any of the accounts.
class Charging {
 public:
  explicit Charging(List* accounts);

  // What the chains of a family cost at epsilon, the first of so many; null stands for one that
  // begins. counted: a level that counts already, of those that are not charged yet.
  LevelCost cost_of_level(const Account& account, const pg_uuid_t* family, double epsilon,
                          int count, double counted) const;
  // How often it counts for a family that has begun, whose levels are lost so often: for all
  // answers of it as for the first ones, whose noise they share.
  static int times_of(const Account& account, const pg_uuid_t& family, int times);

  // Whether that time is before the present period of the account.
  bool is_earlier(const Account& account, TimestampTz at) const;

  void add(const Charge& charge);
  // Counts what may be charged later: there must be room for it, no more.
  void reserve(const Account& account, Datum epsilon, bool refines);

  // What there must be room for, of Cost: one for each account.
  List* costs() const;
  // Whether the budgets suffice.
  bool fits() const;
  // When the first of their periods ends.
  TimestampTz ends() const;
  // Ends the decision with nothing charged.
  void abandon();

  // Inserts the charges, or reports an error, with nothing charged, if a budget does not suffice.
  // True if there was any: the caller then waits for make_durable() before a value leaves.
  bool commit();

 private:
  struct Decision* decision_of(const Account& account) const;

  List* decisions_ = NIL;  // one per account
};

}  // namespace idp
