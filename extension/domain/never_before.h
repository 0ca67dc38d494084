// Which of two instants of a row is never before the other one, as conditions of the query say:
// WHERE shipped >= ordered. What lies between them is not negative then.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Whether that holds of all rows of the query that have both; of dates also where instants of these
// days are compared.
bool is_never_before(const Query* query, Node* later, Node* earlier);

// Whether the difference of two fields of such instants is never negative, as that of two years:
// extract(year FROM shipped) - extract(year FROM ordered).
bool are_years_in_order(const Query* query, Node* later, Node* earlier);

}  // namespace idp
