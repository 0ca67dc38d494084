// Amounts of privacy: exact decimals (numeric). An epsilon counts as the shortest decimal that
// reads back as the same double, so that ten charges of 0.1 are 1.
#pragma once

#include "extension/pg/pg.h"

#include <span>

namespace idp {

Datum no_amount();
bool is_none(Datum amount);

// An epsilon as a decimal, and a multiple of one.
Datum decimal_of(double epsilon);
Datum decimal_times(Datum decimal, int64 factor);
// What a larger epsilon is more than one that was charged before; 0 if there was none.
Datum decimal_beyond(double epsilon, double before);

Datum sum_of(Datum a, Datum b);
Datum difference_of(Datum a, Datum b);
bool is_less(Datum a, Datum b);
// How many times b at least a is, in whole numbers. b must be more than 0.
int64 times_as_much(Datum a, Datum b);

// Without zeros at its end.
char* amount_text(Datum amount);

// Reports an error, which calls them by that name, unless they are epsilons that can be answered.
void require_epsilons(std::span<const double> epsilons, const char* name);

// Reports an error unless the number can be a budget, or the delta of one.
void require_budget(Datum budget);
void require_delta(Datum delta);

}  // namespace idp
