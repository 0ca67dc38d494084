// A value that is compared with a list of constants, as tools write the choices of a filter:
//
//   status IN (SELECT unnest(string_to_array('new,paid', ',')))
//   day IN (SELECT d::date FROM generate_series(…) d)
//
// are status = ANY ('{new,paid}') and day = ANY ('{…}'). The list of a parameter, as drivers of
// programs send it, is the parameter.
#pragma once

#include "extension/pg/pg.h"

namespace idp {

// Those of the query alone.
void compare_with_constants(Query* query);

}  // namespace idp
