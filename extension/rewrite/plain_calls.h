// Calls of functions that follow settings or the time, or are applied to no hidden rows, or say
// nothing of keys, though others say the same:
//
//   age(born)                       age(current_date, born)
//   concat(status, '/', day)        coalesce(status, '') || '/' || coalesce(day::text, '')
//   day <@ daterange(first, next)   day >= first AND day < next
//   s LIKE ANY (ARRAY['a%', 'b%'])  s LIKE 'a%' OR s LIKE 'b%'
//   count(o), of rows               count(*)
//   min(at::date)                   min(at)::date
#pragma once

#include "extension/pg/pg.h"

extern "C" {
#include "nodes/parsenodes.h"
}

namespace idp {

// Puts these others in their place, in expressions of the query, but not of its subqueries.
void use_plain_calls(Query* query);

}  // namespace idp
