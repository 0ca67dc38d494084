// What an aggregation reads of the units of an account, judged from the level that asks.
#pragma once

#include "extension/query/unit_rows.h"
#include "extension/query/level.h"

namespace idp {

// Of an aggregation whose node carries the level. Read before any row is. is_constant: as in
// UnitFacts; or null.
UnitInput unit_input(AggState* node, const Level& level, const PrivacyUnit& unit,
                     UnitFacts::IsConstant is_constant);

}  // namespace idp
