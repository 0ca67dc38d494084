// What a table is a part of.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// The tables that a table is a partition, an inheritance child or a shard (of Citus) of, directly.
List* parents_of(Oid relation);

// Has that known until anything about relations changes. Once, where the library is loaded.
void watch_parents();

// The table that a relation is a partition of, at whatever level; itself if it is none.
Oid whole_of(Oid relation);

// Whether reading a table, which is not partitioned, may read rows of inheritance children. These
// need not obey its constraints: NOT NULL can be dropped from them, and foreign keys they do not
// have.
bool has_children(Oid relation);

}  // namespace idp
