// Transition functions of aggregates that keep values: order statistics and distinct counts. A
// value goes into its group's state: most of them without a call into anything.
#pragma once

#include "extension/pg.h"

#include "core/accumulator/spec.h"

namespace idp {

Datum accumulate_value(FunctionCallInfo fcinfo, Statistic statistic);
Datum accumulate_distinct(FunctionCallInfo fcinfo, Statistic statistic);

}  // namespace idp
