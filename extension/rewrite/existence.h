// x IN (SELECT y …) as EXISTS (SELECT … WHERE y = x), where neither may be NULL: then both are true
// or false of the same rows. So are x < ANY (SELECT y …) and its like.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// x <> ALL (SELECT y …) is NOT x = ANY (SELECT y …), and x >= ALL (…) is NOT x < ANY (…): they are
// NULL alike. In the expressions of one level.
void write_all_as_any(Query* query);

// Whether a query chooses rows, and computes nothing of several.
bool chooses_rows_alone(const Query* query);

// Whether it is an equality of values of that type, by their order.
bool is_equality(const OpExpr* comparison, const Node* value);

// What a subquery gives, in place of the parameter that stands for it.
Node* with_found(Node* node, void* found);

// Changes a subquery of that kind; false, and nothing is changed, if it is of another one, or may
// be NULL. query: whose level it is of. chooses_rows: whether it stands where NULL is as good as
// false.
bool make_existence(const Query* query, SubLink* link, bool chooses_rows = false);

}  // namespace idp
