// Expressions over a value that is chosen of several, whose keys everybody may know: those of all
// of them together, not their product.
//
//   date_trunc('month', coalesce(paid_on, due)), extract(year FROM greatest(shipped, returned))
#pragma once

#include "extension/domain/finite_keys.h"
#include "extension/pg/pg.h"

namespace idp {

// Of an expression that names columns in one such choice alone; false if it has none, or they may
// change before the query is executed. found->within: as there.
bool keys_of_chosen(const Query* query, Node* expression, FiniteKeys* found);

}  // namespace idp
