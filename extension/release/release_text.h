// What the functions take and give by which one refines, reads or shares releases by their names.
#pragma once

#include "extension/pg/pg.h"

#include <span>

#include "extension/release/chain_rows.h"

namespace idp {

// The answer at the level with these epsilons and this noise, as text; a null datum if there is
// none.
NullableDatum answer_text(const StoredChain& chain, std::span<const double> epsilons, bytea* noise);

// The argument that is an array of epsilons. Reports an error unless its shape is right.
std::span<const double> epsilons_argument(FunctionCallInfo fcinfo, int position);

}  // namespace idp
