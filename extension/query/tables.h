// The tables that a level reads.
#pragma once

#include "extension/pg/pg.h"

#include "extension/query/level.h"

namespace idp {

// Adds them to a list of Oid, each once: tables of subqueries, CTEs and members too. False if they
// are not all known, as of subqueries that are planned by themselves.
bool add_tables_of(const Level& level, List** tables);

}  // namespace idp
