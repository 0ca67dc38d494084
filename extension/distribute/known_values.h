// What is known of the values of a column that lie in other servers: ranges of their keys
// (core/grid/key.h), and how many values there are in each.
#pragma once

#include "extension/pg/pg.h"

#include "core/grid/grid.h"

namespace idp {

struct ValueRange {
  Key128 least;
  Key128 greatest;  // equal to least where it is one value
  int64 count;

  bool is_value() const { return least == greatest; }
};

// In memory of the server; after sort_ranges() they ascend, and each is there once.
struct KnownValues {
  ValueRange* ranges = nullptr;
  int64 count = 0;
  int64 capacity = 0;
  int64 total = 0;  // of their counts
};

void add_range(KnownValues& known, const ValueRange& range);
void add_all(KnownValues& known, const KnownValues& others);
// Different ranges must not overlap.
void sort_ranges(KnownValues& known);

// The place of the range that has the value of a rank, in [1, total].
int64 place_of_rank(const KnownValues& known, int64 rank);

// Whether the value of each rank from first to last is known.
bool has_values_of(const KnownValues& known, int64 first, int64 last);

// Puts what others say of the values strictly between two keys in the place of what is known; a
// bound that is not there is null.
void replace_between(KnownValues& known, const Key128* low, const Key128* high,
                     const KnownValues& others);

// Between 0 and 1: how close values that come one behind the other are to each other, beside what
// they would be in random order: 1 if they come in that one, near 0 if they are sorted. keys: in
// the order in which they came. known: of the same, sorted.
double disorder(const KnownValues& known, const Key128* keys, int64 count);

}  // namespace idp
