// Equalities of columns, as the planner joins by them.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether a condition may hold for several rows that a unique index tells apart: the planner does
// not look at the collation of that, and takes the first partner to come for the only one.
bool is_of_several_texts(const OpExpr* condition);

// Equalities of columns that follow from others, as the planner sees them, too: where a = b and b =
// c by one operator of an index, a = c.
List* with_derived(List* conditions);

}  // namespace idp
