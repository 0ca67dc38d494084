// Parameters in the columns that a statement gives: date_trunc($1, day), floor(amount / $2) * $2.
//
// Keys of groups are listed while a statement is planned, so what they are computed of has to be
// known then: a plan for all values of such a parameter has no keys.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/params.h"
#include "nodes/parsenodes.h"
}

namespace idp {

// Where a statement has groups: puts the value of each parameter that one of its columns, or one of
// a subquery, is computed of outside of aggregates, in the place of the parameter, wherever that
// stands. False if the values are not given: then the plan is one for all values.
// parameters: of the statement, or null.
bool fill_in_key_parameters(Query* query, ParamListInfo parameters);

}  // namespace idp
