// What a query's private calls cost, when it starts.
#pragma once

#include "extension/budget/account.h"
#include "extension/call/bound_call.h"
#include "extension/state/running_query.h"

namespace idp {

// Charges those that have no release name, all together or none, and sees that there is room for
// what the named ones may cost: reports an error if a budget does not suffice. Durable when it
// returns.
void charge_at_start(RunningQuery& query);

// Whether a unit moves the answers of a call no further than one row can, however many rows it has:
// dp_sum over a column of bounded mass (query/unit_mass.cpp).
bool counts_as_one_row(const BoundCall& call, const Account& account);

// What one of these costs an account: amounts (budget/amount.h); delta is 0 where there is none.
struct Loss {
  Datum epsilon;
  Datum delta;
};
Loss cost_of_call(const BoundCall& call, const Account& account);

// What that would charge, of Cost (budget/account.h), whether or not there is room for it. Reports
// the errors of names, and writes nothing.
List* costs_of(const RunningQuery& query);

}  // namespace idp
