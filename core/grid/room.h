// Room for long integers. GMP ends the process when it gets no memory, and neither an error code
// nor an exception can come out of it. So whoever begins to compute with long integers makes sure
// first that there is room for all of them: what is bounded is bounded here, and what is not there
// is missing before GMP asks for it.
//
// How long numbers get, in bits. A value counts at most 2^2099 steps of the finest float grid, or
// 2^2203 of one that is finer by 104 bits (core/mechanism/order_statistic.h), and so does a
// sensitivity. epsilon is m 2^e, below 2^1024, with a denominator of at most 2^1074. So
//
//   a rate epsilon/Delta     a numerator of 1024, a denominator of 2203 + 1074 = 3277
//   the difference of two    lcm(Delta 2^a, Delta' 2^b): 2 * 2203 + 1074 = 5480; numerators have
//                            1024 + 5480 = 6504
//   a coin of such a rate    is the k-th of a row, k < 2^64 whatever is drawn, and takes a word at
//   a
//                            time: 64 and 64 more, 6632
//   a draw                   below its denominator times 2^64
//   an enclosure             is refined while it does not decide, each time with twice the bits. It
//                            needs 1024 with a probability below 2^-900; near the threshold of a
//                            noisy count (core/mechanism/noisy_count.h) hardly more than
//                            128, as epsilon is a double
//   counts, sums, moments    at most 319 (core/collect/moments.h)
//
// All are below 2^8192: 1 KB. At any time fewer than 64 numbers stand beside those that there is
// one of for each value, border or bucket, whose bytes the caller names.
#pragma once

#include "core/no_postgres.h"

#include <cstddef>

namespace idp {

// Throws std::bad_alloc unless the heap has room for 64 long numbers and so many bytes more.
// Nothing is taken: it holds until something else is allocated, in a process of one thread.
void require_room(std::size_t more = 0);

// What a short integer takes among many: its head, and one allocation of the heap's smallest size.
inline constexpr std::size_t kShortIntegerBytes = 48;

}  // namespace idp
