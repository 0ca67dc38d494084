// Sums of a column's values, each brought between two bounds where it lies: by a function of the
// extension, idp.bounded, which the workers of Citus have as well. It is one step for each row; as
// many as four of the server's own do the same.
//
// A sum may tell how many values it has, which counting them by another aggregate would take longer
// for than adding them up: each value v is added up as 2^62 + (v - lower). Of n values
//
//   n 2^62 <= sum <= n (2^62 + width)
//
// so that n and what is above n 2^62, which is the sum of v - lower, are known as long as
// n width < 2^62. That is had for bounds which are less than 2^22 apart, of up to 2^40 rows; more
// rows are an error, other bounds have values counted. The server adds up bigint in numeric, which
// does not overflow.
#pragma once

#include "extension/pg/pg.h"

#include "core/grid/grid.h"
#include "core/grid/key.h"

extern "C" {
#include "utils/rel.h"
}

namespace idp {

// What is added up on the other servers: a column's values, each brought between two of its type.
struct RemoteSum {
  int column;
  Grid grid;  // of the column
  Key64 lower;
  Key64 upper;
  bool has_ends;  // whether its least and its greatest value matter, and not the sum alone
};

// Whether such a sum may tell how many values it has.
bool can_count(const RemoteSum& sum);

// The aggregate in SQL, as text. NULL and NaN are left out of it. is_counting: whether it tells how
// many values there are.
char* bounded_sum(Relation table, const RemoteSum& sum, bool is_counting);

// What comes of it.
struct BoundedValues {
  int64 count;
  Uint128 offsets;  // the sum of how far they are above the lower bound
};
// rows: how many it was made of. count: of values, if it tells none. text: null if it has none.
BoundedValues read_counting_sum(const RemoteSum& sum, const char* text, int64 rows);
BoundedValues read_sum(const RemoteSum& sum, const char* text, int64 count);

// Whether a function is the one that brings a value between bounds: no private call.
bool is_bounding(Oid function);

}  // namespace idp
