// Which values everybody may know of an expression over columns of a query: by the columns that it
// names, if these are listed, or by its form.
#pragma once

#include "extension/domain/finite_keys.h"
#include "extension/pg/pg.h"

namespace idp {

// False if there are none. will_be_within: whether the query will leave out rows in which a column
// of found->within has no key (is_a_key() in key_table.h), if it does not yet.
bool computed_keys(const Query* query, Node* expression, bool will_be_within, FiniteKeys* found);

}  // namespace idp
