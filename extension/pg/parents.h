// What a table is a part of.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// The tables that a table is a partition, an inheritance child or a shard (of Citus) of, directly.
List* parents_of(Oid relation);

}  // namespace idp
