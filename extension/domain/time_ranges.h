// Between which numbers that are made of times everybody may know them to be (ranges.h).
#pragma once

#include "extension/domain/intervals.h"
#include "extension/domain/levels.h"

namespace idp {

// extract(month FROM day), date_part('month', day): a call of one of these (gives_field).
MaybeNumbers numbers_of_field(const QueryLevel& level, const FuncExpr* function);

// extract(hour FROM time_of_day): a call of one of hours or minutes.
bool gives_field_of_time(const FuncExpr* function);
MaybeNumbers numbers_of_time(const QueryLevel& level, const FuncExpr* function);

// What no row has below 0.
MaybeNumbers without_negative(const MaybeNumbers& numbers);

// shipped - ordered, of dates, in days.
MaybeNumbers days_between(const QueryLevel& level, const OpExpr* operation);

// Whether it is one of the interval between two instants: extract(epoch FROM shipped - ordered), or
// in whole numbers: days, and fields of age(shipped, born).
bool measures_interval(const FuncExpr* function);
bool gives_whole_numbers(const FuncExpr* function);
MaybeNumbers numbers_of_interval(const QueryLevel& level, const FuncExpr* function);

}  // namespace idp
