// Comparisons of a day or an instant with what is the same for all rows, in one form:
//
//   now() - interval '7 days' <= at             at >= now() - interval '7 days'
//   now() - at < interval '7 days'              at > now() - interval '168 hours'
//   day::timestamp >= localtimestamp            day >= localtimestamp
//   at AT TIME ZONE 'UTC' >= localtimestamp     at >= localtimestamp, in that zone
#pragma once

#include "extension/pg/pg.h"

namespace idp {

struct TimeComparison {
  // Of dates, timestamp or timestamptz: a column, or one of its values (column_of_one()).
  Node* column = nullptr;
  int strategy = 0;  // of the order of the column's type; 0: the comparison is of another kind
  Node* constant = nullptr;
  // In which the constant is the time that clocks show, and the column an instant; else null.
  const char* zone = nullptr;
};

TimeComparison time_comparison(const OpExpr* call);

// Whether a strategy is < or <=.
bool is_before(int strategy);

}  // namespace idp
