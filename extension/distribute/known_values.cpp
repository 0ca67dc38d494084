#include "extension/distribute/known_values.h"

#include <algorithm>
#include <cmath>

namespace idp {

void add_range(KnownValues& known, const ValueRange& range) {
  if (range.count <= 0) return;
  if (known.count == known.capacity) {
    known.capacity = Max(2 * known.capacity, 64);
    const Size bytes = sizeof(ValueRange) * static_cast<Size>(known.capacity);
    void* ranges = known.ranges == nullptr ? MemoryContextAllocHuge(CurrentMemoryContext, bytes)
                                           : repalloc_huge(known.ranges, bytes);
    known.ranges = static_cast<ValueRange*>(ranges);
  }
  known.ranges[known.count++] = range;
  known.total += range.count;
}

void add_all(KnownValues& known, const KnownValues& others) {
  for (int64 i = 0; i < others.count; ++i) add_range(known, others.ranges[i]);
}

void sort_ranges(KnownValues& known) {
  CHECK_FOR_INTERRUPTS();
  std::sort(known.ranges, known.ranges + known.count, [](const ValueRange& a, const ValueRange& b) {
    return a.least != b.least ? a.least < b.least : a.greatest < b.greatest;
  });
  int64 kept = 0;
  for (int64 i = 0; i < known.count; ++i) {
    const ValueRange& next = known.ranges[i];
    if (kept > 0 && known.ranges[kept - 1].least == next.least &&
        known.ranges[kept - 1].greatest == next.greatest) {
      known.ranges[kept - 1].count += next.count;
    } else {
      known.ranges[kept++] = next;
    }
  }
  known.count = kept;
}

int64 place_of_rank(const KnownValues& known, int64 rank) {
  int64 upto = 0;
  int64 place = 0;
  while (place < known.count - 1 && (upto += known.ranges[place].count) < rank) ++place;
  return place;
}

bool has_values_of(const KnownValues& known, int64 first, int64 last) {
  const int64 end = place_of_rank(known, last);
  for (int64 i = place_of_rank(known, first); i <= end; ++i) {
    if (!known.ranges[i].is_value()) return false;
  }
  return true;
}

void replace_between(KnownValues& known, const Key128* low, const Key128* high,
                     const KnownValues& others) {
  KnownValues all;
  for (int64 i = 0; i < known.count; ++i) {
    const ValueRange& range = known.ranges[i];
    const bool is_between =
        (low == nullptr || range.least > *low) && (high == nullptr || range.greatest < *high);
    if (!is_between) add_range(all, range);
  }
  add_all(all, others);
  sort_ranges(all);
  known = all;
}

namespace {

// How many values are below a key.
int64* counts_before(const KnownValues& known) {
  auto* before = static_cast<int64*>(MemoryContextAllocHuge(
      CurrentMemoryContext, sizeof(int64) * static_cast<Size>(known.count + 1)));
  before[0] = 0;
  for (int64 i = 0; i < known.count; ++i) before[i + 1] = before[i] + known.ranges[i].count;
  return before;
}

// Where the values below the two are counted, these are as many apart in random order, on average,
// as there are of each value times twice the chance that it lies above the one and not the other.
double apart_in_random_order(const KnownValues& known, const int64* before) {
  const auto all = static_cast<double>(known.total);
  double apart = 0;
  for (int64 i = 0; i < known.count; ++i) {
    const double part = static_cast<double>(before[i + 1]) / all;
    apart += 2 * part * (1 - part) * static_cast<double>(known.ranges[i].count);
  }
  return apart;
}

}  // namespace

double disorder(const KnownValues& known, const Key128* keys, int64 count) {
  if (count < 2) return 1;
  const int64* before = counts_before(known);
  const double expected = apart_in_random_order(known, before);
  if (expected <= 0) return 1;
  const auto below = [&](const Key128& key) {
    const ValueRange* at =
        std::lower_bound(known.ranges, known.ranges + known.count, key,
                         [](const ValueRange& a, const Key128& b) { return a.least < b; });
    return static_cast<double>(before[at - known.ranges]);
  };
  double apart = 0;
  double last = below(keys[0]);
  for (int64 i = 1; i < count; ++i) {
    const double next = below(keys[i]);
    apart += std::fabs(next - last);
    last = next;
  }
  return Min(1.0, apart / static_cast<double>(count - 1) / expected);
}

}  // namespace idp
