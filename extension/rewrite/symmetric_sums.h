// Sums that a tool makes of each row of a table once, whatever joins repeat it: Looker's symmetric
// aggregates.
//
//   sum(DISTINCT x + hash(o.id)) - sum(DISTINCT hash(o.id))     sum(x) FILTER (WHERE o.id IS NOT
//   NULL)
//
// where no join repeats a row of orders. Where one does, and the table is that of the units,
// counted_units.h adds up units. hash() is the one that Looker writes: 128 bits of md5, as
// numeric, of which no two are taken for equal.
#pragma once

#include "extension/domain/levels.h"

namespace idp {

struct SumByKey {
  const Aggref* sum;  // the first of the two
  const Var* key;
  Node* value;  // what is added up of each row once
};

// False if an expression is something else.
bool read_sum_by_key(Node* expression, SumByKey* found);

// Whether the key is that of units, and the value of their own rows, as columns of their table are.
bool is_of_own_row(const QueryLevel& level, const SumByKey& sum);

// A plain sum, otherwise like the one given, of a value where a condition holds, which may be null,
// and a key is not NULL.
Aggref* sum_where_not_null(const Aggref* sum, Node* value, const Expr* filter, const Var* key);

// Has a query add up rows where it adds them up so.
void sum_rows_by_keys(Query* query);

}  // namespace idp
