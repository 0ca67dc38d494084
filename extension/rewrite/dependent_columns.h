// Columns that a level shows, though it does not group by them, as they follow from a primary key
// that it groups by:
//
//   SELECT r.id, r.name, count(*) FROM … GROUP BY r.id
//
// becomes what says it all: GROUP BY r.id, r.name. Then the keys of domains, and answers that are
// given again, are found as of any other key. The least and the greatest value of such a column are
// the column: min(r.name), as tools ask for what they group by.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

void group_by_dependent_columns(Query* query);

}  // namespace idp
