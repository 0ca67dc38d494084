// Groups of a plain GROUP BY whose keys nobody declared: dp_keep_group decides which are shown,
// where the accounts have a delta.
//
//   SELECT city, count(*) FROM customers GROUP BY city
//
// has HAVING dp_keep_group(ε, δ) then, with the ε of idp.epsilon, of which 1 over all rows of a
// unit is the most, and the δ of idp.delta.
#pragma once

#include "extension/pg/pg.h"

#include "extension/domain/levels.h"

namespace idp {

// The accounts of all tables that a level reads, and that CTEs further out do.
List* accounts_of_level(const QueryLevel& level);

// Whether a level whose aggregates are private by now needs that condition, and can pay for it.
// Groups that everybody may know it has from now on.
bool needs_decision(const QueryLevel& level);

// Adds it. most: how many of the rows that it reads one unit has; 0 if that is not known.
void decide_about_groups(const QueryLevel& level, int64 most);

}  // namespace idp
