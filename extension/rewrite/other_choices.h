// The choices of a filter that hang on something else, as filters of a dashboard ask for them that
// follow one another:
//
//   SELECT DISTINCT channel FROM orders WHERE amount > 100
//
// Which values rows have is not known to everybody. Those of the domain are: they are listed
// without the conditions on what has no list of values, as GROUP BY shows the keys of no row with a
// count of 0. A NOTICE says so.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// For a statement that shows such a list, or counts it as tools do that show it page by page.
void list_other_choices(Query* query);

}  // namespace idp
