// Parameters in the columns that a statement computes: date_trunc($1, day), floor(amount / $2) *
// $2, sum(amount * $3).
//
// Keys of groups are listed, and the bounds of what is added up are found, while a statement is
// planned, so what follows from a parameter has to be known then: a plan for all values of it has
// neither.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/params.h"
#include "nodes/parsenodes.h"
}

namespace idp {

// Puts the value of each parameter that one of the columns of a statement, of a subquery, or what a
// plain aggregate is applied to, is computed of, in the place of the parameter, wherever that
// stands. False if the values are not given: then the plan is one for all values.
// parameters: of the statement, or null.
bool fill_in_column_parameters(Query* query, ParamListInfo parameters);

}  // namespace idp
