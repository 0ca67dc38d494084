// The keys of a column that UNION takes from several queries.
//
//   SELECT kind, count(*) FROM (SELECT 'orders' AS kind, day FROM orders
//                               UNION ALL SELECT 'returns', day FROM returns) rows GROUP BY kind
#pragma once

#include "extension/domain/finite_keys.h"
#include "extension/pg/pg.h"

namespace idp {

// Those that are in either, each once, whatever computes them; false if they are of different
// types, are not listed as they are, or are more than kMostKeys.
bool unite_keys(const FiniteKeys& a, const FiniteKeys& b, FiniteKeys* both);

// Whether a query gives rows that it reads one by one: what a row is left out of is these alone.
bool gives_each_row(const Query* query);

}  // namespace idp
