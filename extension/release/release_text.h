// What the functions take and give by which one refines, reads or shares releases by their names.
#pragma once

#include "extension/pg/pg.h"

#include <span>

#include "extension/release/chain_rows.h"

namespace idp {

// The answer as text; a null datum if there is none.
NullableDatum answer_text(const StoredChain& chain, bytea* noise);

// The argument that is an array of epsilons. Reports an error unless its shape is right.
std::span<const double> epsilons_argument(FunctionCallInfo fcinfo, int position);

}  // namespace idp
