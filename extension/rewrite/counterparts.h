// Plain aggregates and the private ones that answer the same.
#pragma once

#include "extension/pg/pg.h"

#include "extension/domain/levels.h"

namespace idp {

// What a plain aggregate of the level becomes: a private call and what is made of its answer, of
// the type of the plain one. Null if nothing of ours means the same, or a bound that it needs is
// not declared.
Node* counterpart_of(const QueryLevel& level, const Aggref* plain);

}  // namespace idp
