// Parameters of statements by value.
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/params.h"
#include "nodes/primnodes.h"
}

namespace idp {

// Whether an expression, or a query at any level, names parameters of its statement (PARAM_EXTERN).
bool names_parameters(Node* node);

// What a statement was given for its parameter of that number, from 1; null if it has none.
// speculative: whether the query is only planned, so that a value may be one that changes yet.
// room: what the answer may point to.
const ParamExternData* given_parameter(ParamListInfo parameters, int number, bool speculative,
                                       ParamExternData* room);

// A constant in the place of a parameter, with a copy of the value.
Node* constant_of(const Param* param, Datum value, bool is_null);

// The value that a statement was given for one of its own parameters (PARAM_EXTERN), as a constant;
// null if there is none of its type. parameters: of the statement, or null.
Node* given_value(const Param* param, ParamListInfo parameters);

}  // namespace idp
