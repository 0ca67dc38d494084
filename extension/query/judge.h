// What an aggregation reads of the units of an account, judged from the level that asks.
#pragma once

#include "extension/plan/unit_rows.h"
#include "extension/query/level.h"

namespace idp {

// state: of the query, whose parameters have their values. Read before any row is. is_constant: as
// in UnitFacts; or null.
UnitInput unit_input(const Level& level, const PrivacyUnit& unit, EState* state,
                     UnitFacts::IsConstant is_constant);

// What is true by the plan (plan/unit_rows.h) and by the query: the stricter of both decides.
UnitInput stricter_input(AggState* node, const Level& level, const PrivacyUnit& unit,
                         UnitFacts::IsConstant is_constant);

}  // namespace idp
