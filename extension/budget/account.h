// Accounts: the privacy budgets of protected tables, and what was charged to them.
//
// A charge is a row of idp.charge with the total spent so far, so that the last row of an account
// is its balance. Charges of one account are made one after the other, under a lock that is held
// from reading the balance to inserting the row: two sessions never overspend.
#pragma once

#include "extension/pg/pg.h"

#include "core/accounting/composition.h"

namespace idp {

struct Account {
  int32 id;
  char* name;    // of the table, as the session calls it now
  bool waits;    // whether that was dropped, and is another one of its name now
  Oid table;     // invalid if it waits
  bool hidden;   // whether the rows are hidden from all but the owner
  Datum budget;  // numeric
  Neighbours neighbours;
  double min_epsilon;  // 0 if there is none
  double floor;        // likewise: the least sensitivity of idp_ answers, in their units
};

// The accounts that protect a table: its own and those of the tables it is a part of, as they are
// now. Also one whose table was dropped and created again under its name, unless its owner ended
// it.
List* accounts_of(Oid relation);
// Those of several tables, each once.
List* accounts_of_all(List* relations);
// The active ones of those numbers.
List* accounts_numbered(ArrayType* ids);

// Both, each account once.
List* union_of(List* accounts, List* others);

// Reports an error if epsilon is less than one of the accounts asks for.
void require_min_epsilon(List* accounts, double epsilon);

// What is charged to an account for one aggregate call.
struct Charge {
  const Account* account;
  const char* aggregate;
  Datum epsilon;            // numeric
  const char* release;      // null if it has no name
  const pg_uuid_t* family;  // likewise: the chains it pays for
  double family_epsilon;    // what they may be refined to after this charge
  bool refines;             // whether they were charged before
};

// One decision about what to charge. From construction to commit() or abandon() nobody else charges
// any of the accounts.
class Charging {
 public:
  explicit Charging(List* accounts);

  // What the chains of a family were charged for so far: 0 if nothing.
  double family_epsilon(const Account& account, const pg_uuid_t& family) const;

  void add(const Charge& charge);
  // Counts what may be charged later: there must be room for it, no more.
  void reserve(const Account& account, Datum epsilon, bool refines);

  // Whether the budgets suffice.
  bool fits() const;
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
