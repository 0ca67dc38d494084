// What a table is a part of.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// The tables that a table is a partition, an inheritance child or a shard (of Citus) of, directly.
List* parents_of(Oid relation);

// The table that a relation is a partition of, at whatever level; itself if it is none.
Oid whole_of(Oid relation);

}  // namespace idp
