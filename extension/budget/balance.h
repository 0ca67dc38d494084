// What was spent of a budget: since the account began, and in the period that the budget is for.
//
// The ledger decides alone. Its rows are numbered, and none is dated before the one it follows: a
// clock that is set back goes on in the period it was in, and gives nothing back.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "datatype/timestamp.h"
}

namespace idp {

struct Balance {
  int64 entry;        // the number of the last charge; 0 if there is none
  Datum total;        // numeric: what was spent since the account began
  Datum spent;        // likewise: in the present period; all of it if the budget is never renewed
  Datum total_delta;  // the same of delta
  Datum spent_delta;
  int64 before;     // the number of the last charge before the present period; 0 if there is none
  TimestampTz now;  // the time of a charge that is made now
  TimestampTz starts;  // of the present period, and of the next one
  TimestampTz ends;
};

// Of the account of that number, whose budget lasts that long, or for ever if that is null. It is
// exact while the account is locked.
Balance balance_of(int32 account, const Interval* renewal);

// What the time is written as ('1 day', 'forever') for which answers repeat, or null for 'never'.
// Reports an error if it is neither.
Interval* repeats_named(const char* text);

// What a renewal is written as ('1 month', '7 days'), or null for 'never'. Reports an error if it
// is neither.
Interval* renewal_named(const char* text);

}  // namespace idp
