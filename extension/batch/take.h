// Values of many rows into the states of an aggregate of ours, in their order. What needs more than
// a few loads and stores is left to the transition function: these say how far they came, and
// whoever called them has the next row go its ordinary way.
#pragma once

#include "extension/pg/pg.h"

#include <cstdint>
#include <span>

#include "extension/distribute/bounded_sums.h"

extern "C" {
#include "executor/nodeAgg.h"
}

namespace idp {

// Takes values of rows that belong to one state, none of them NULL; returns how many, from the
// first on. Of an aggregate without a column they are not looked at. function: of its transitions.
int take_values(FunctionCallInfo function, Datum state, const Datum* values, int count);

// The same where each row has its group: the state is that of the transition of this number.
int take_values_of_groups(FunctionCallInfo function, const AggStatePerGroup* groups, int transition,
                          const Datum* values, int count);

// Takes a value that the state has just taken, so many times more at once; returns how often: all
// times or never.
int64 take_again(FunctionCallInfo function, Datum state, Datum value, int64 times);

// What values of a column are worth that were added up elsewhere, each brought between the bounds
// of an aggregate of sums. taken: values of these, or not greater than these, that the state has
// already.
void take_sum(FunctionCallInfo function, Datum state, const BoundedValues& values,
              std::span<const Datum> taken);

}  // namespace idp
