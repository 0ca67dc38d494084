// What UNION puts together.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

enum class UnionKind {
  kAll,  // UNION ALL alone, which keeps each row
  kAny,  // also UNION, which gives equal rows once
};

// The entries that a set operation puts together, in their order; NIL if there is another operation
// among its own than UNION of that kind.
List* parts_of_union(const Node* operation, UnionKind kind);

}  // namespace idp
