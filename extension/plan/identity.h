// A part of a query as text in which nothing is lost but what people called it: two parts with the
// same identity are computed alike. Functions, operators, collations, types and columns are there by
// number. Where the text of the query had them, and aliases, are left out.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

char* identity_of(const void* node);

// Whether a query says all that it reads: not where it names a CTE of a query around it.
bool is_whole(::Query* query);

}  // namespace idp
