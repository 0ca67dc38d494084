// Order statistics by selection, without sorting and without disturbing the values.
#pragma once

#include "core/no_postgres.h"

#include <cstdint>
#include <memory_resource>
#include <span>

#include "core/select/runs.h"
#include "core/select/stop.h"

namespace idp {

// Writes the values of the ranks first, first + 1, …, first + out.size() - 1 to out, in order.
// Ranks count from 1; requires 1 <= first and first + out.size() - 1 <= n.
//
// Expected time: one pass over the values plus a selection among some 3 % of them (the idea of
// Floyd and Rivest, "Expected time bounds for selection", 1975): two pivots from a sorted sample
// enclose the ranks, a pass counts what lies outside and copies what lies strictly between, and
// the rest is selected there. Values equal to a pivot are counted, not copied, so columns of few
// distinct values cost no memory. If the pivots miss the ranks, that side is opened wide and the
// pass repeated: at most two passes whatever the data, and the result never depends on the
// sample.
template <class Key>
void order_statistics(Runs<Key> runs, std::int64_t first, std::span<Key> out,
                      std::pmr::memory_resource* memory, StopCheck stop);

// Writes the values of ranks that ascend but need not be adjacent. Works on a copy of all values,
// in time n log(ranks.size()): for many ranks far apart.
template <class Key>
void order_statistics_at(Runs<Key> runs, std::span<const std::int64_t> ranks, std::span<Key> out,
                         std::pmr::memory_resource* memory, StopCheck stop);

}  // namespace idp
