// Between which numbers that are made of times everybody may know them to be (ranges.h).
#pragma once

#include "extension/domain/intervals.h"
#include "extension/domain/levels.h"

namespace idp {

// extract(month FROM day), date_part('month', day): a call of one of these (gives_field).
MaybeNumbers numbers_of_field(const QueryLevel& level, const FuncExpr* function);

// shipped - ordered, of dates, in days.
MaybeNumbers days_between(const QueryLevel& level, const OpExpr* operation);

// Whether it is one of the interval between two instants: extract(epoch FROM shipped - ordered), or
// in whole days.
bool measures_interval(const FuncExpr* function);
bool measures_whole_days(const FuncExpr* function);
MaybeNumbers numbers_of_interval(const QueryLevel& level, const FuncExpr* function);

}  // namespace idp
