// What a state holds beside its spec and a count: an array of 64-bit words in native order.
//
//   collects     count               words
//   kRows        rows                none
//   kValues      values              a key each: one word, or two on a wide grid
//   kDistinct    keys                likewise; the same key may be there twice
//   kMoments     values              see moments.h
//   kBuckets     values              one count per bucket
//
// Before them stand the epsilons if there are several (group privacy).
#pragma once

#include "core/no_postgres.h"

#include <cstddef>
#include <cstdint>

#include "core/aggregate/stored_spec.h"

namespace idp {

std::size_t key_words(const Grid& grid);
inline std::size_t key_bytes(const Grid& grid) { return 8 * key_words(grid); }

// spec.groups if there are several epsilons, otherwise 0: the first is in the spec
inline std::size_t epsilon_words(const StoredSpec& spec) {
  return spec.groups > 1 ? spec.groups : 0;
}

// The words after the epsilons, of a state with that many rows or values.
std::size_t payload_words(const StoredSpec& spec, std::int64_t count);

// Whether that many words, epsilons included, hold such a state, whatever spec and count are.
// exactly: no more and no less; otherwise there may be room left.
bool payload_fits(const StoredSpec& spec, std::int64_t count, std::size_t words, bool exactly);

// Whether some rows could have made this payload. The spec and the count must be sound and fit.
bool payload_sound(const StoredSpec& spec, std::int64_t count, const std::uint64_t* payload);

// How many values at the end the statistic depends on (core/collect/extremes.h); 0 if it depends on
// others as well, or if they are too many to be kept in order.
std::size_t extremes_kept(const StoredSpec& spec);
// Whether the end is the upper one.
constexpr bool keeps_largest(Statistic statistic) {
  const RankRule rank = row_of(statistic).rank;
  return rank == RankRule::kLast || rank == RankRule::kFromLast;
}

}  // namespace idp
