// Parameters of statements by value.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/params.h"
#include "nodes/primnodes.h"
}

namespace idp {

// A constant in the place of a parameter, with a copy of the value.
Node* constant_of(const Param* param, Datum value, bool is_null);

// The value that a statement was given for one of its own parameters (PARAM_EXTERN), as a constant;
// null if there is none of its type. parameters: of the statement, or null.
Node* given_value(const Param* param, ParamListInfo parameters);

}  // namespace idp
