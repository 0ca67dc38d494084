// Parts of queries, as the parser makes them.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

Query* new_query();
RangeTblEntry* new_entry(RTEKind kind, const char* name, List* column_names);
TargetEntry* output(Node* expression, int position, const char* name);
List* names_of(const Query* query);

// first UNION ALL second.
Query* put_together(Query* first, Query* second);

}  // namespace idp
