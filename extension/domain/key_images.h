// Expressions over one column whose values are listed, as what they are for each:
// date_trunc('month', day) of two years is 24 months. Where groups are made of several such
// columns, the product of these is much less than that of the columns.
#pragma once

#include "extension/domain/finite_keys.h"
#include "extension/domain/key_column.h"
#include "extension/pg/pg.h"

namespace idp {

// The values of an expression over the column of a key that is listed; false if they may change
// before the query is executed, or are more than kMostKeys. Where they follow the time zone of the
// session so does the plan. It fails where the expression does for one of the keys.
bool image_of(const KeyColumn* base, Node* expression, FiniteKeys* found);

// Likewise over the columns of several keys, and of all ways in which their values come together;
// false if these are more than kMostKeys. conditions: of Node, that all rows fulfil: values that do
// not do so come together in none.
bool image_of_several(const List* bases, Node* expression, List* conditions, FiniteKeys* found);

// Whether both are computed of one value; of no value, neither is.
bool are_of_one_value(const KeyImage* a, const KeyImage* b);

// Of KeyColumn: has those that are computed of one value listed together.
void list_images_together(List* keys);

}  // namespace idp
