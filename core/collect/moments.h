// What sums, averages, variances and standard deviations keep of their rows: the sum of the offsets
// (core/grid/offsets.h), the sum of their squares, and the values at the ends.
//
// It is an array of 64-bit words in native order, numbers with their most significant word first:
//
//   3 words      sum of the offsets
//   5 words      sum of their squares; variance and standard deviation only
//   2 g words    the g smallest offsets, ascending     where the local sensitivity is asked for,
//   2 g words    the g largest offsets, descending     at distances up to g; otherwise g = 0
//
// A change of g records can only remove or move g values on one side: that is why g ends are
// enough for every sensitivity at distance g. Of fewer than g rows the words left over are zero,
// and no rows at all are all zeros.
//
// Nothing overflows: an offset is below 2^128 and there are fewer than 2^63 rows, so sums stay
// below 2^191 and squares below 2^319. Everything is an integer, so that the words do not depend on
// the order of the rows or on how a parallel plan divides them.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/grid/key.h"

namespace idp {

// What is asked of a column's sums of powers.
enum class Moment : std::uint8_t { kSum, kAverage, kVariance, kStddev };

constexpr bool needs_squares(Moment moment) {
  return moment == Moment::kVariance || moment == Moment::kStddev;
}

struct MomentLayout {
  bool squares;
  std::size_t ends;  // g

  static constexpr std::size_t kSumWords = 3;
  static constexpr std::size_t kSquaresWords = 5;
  std::size_t smallest() const { return kSumWords + (squares ? kSquaresWords : 0); }
  std::size_t largest() const { return smallest() + 2 * ends; }
  std::size_t words() const { return smallest() + 4 * ends; }
};

// Adds value to the number that the words hold, modulo 2^(64 kWords).
template <std::size_t kWords>
inline void add_to_words(std::uint64_t* words, Uint128 value) {
  const Uint128 sum = static_cast<Uint128>(words[kWords - 1]) + static_cast<std::uint64_t>(value);
  words[kWords - 1] = static_cast<std::uint64_t>(sum);
  if constexpr (kWords > 1) add_to_words<kWords - 1>(words, (value >> 64) + (sum >> 64));
}

// Enters an offset among the ends where it belongs to them.
void add_to_ends(const MomentLayout& layout, std::uint64_t* words, std::int64_t count_before,
                 Uint128 offset);

// Whether the ends are complete and an offset lies between them: nearly every one does.
inline bool between_ends(const MomentLayout& layout, const std::uint64_t* words,
                         std::int64_t count_before, Uint128 offset) {
  if (layout.ends == 0) return true;
  if (count_before < static_cast<std::int64_t>(layout.ends)) return false;
  const auto last = [](const std::uint64_t* behind) {
    return static_cast<Uint128>(behind[-2]) << 64 | behind[-1];
  };
  return offset >= last(words + layout.largest()) && offset <= last(words + layout.words());
}

// Adds a row to the words that hold count_before rows. Of narrow grids:
inline void add_to_moments(const MomentLayout& layout, std::uint64_t* words,
                           std::int64_t count_before, std::uint64_t offset) {
  add_to_words<3>(words, offset);
  if (layout.squares) add_to_words<5>(words + 3, static_cast<Uint128>(offset) * offset);
  if (between_ends(layout, words, count_before, offset)) return;
  add_to_ends(layout, words, count_before, offset);
}

// Adds a row so many times, whose offset is between_ends().
inline void add_often_to_moments(const MomentLayout& layout, std::uint64_t* words,
                                 std::uint64_t offset, std::uint64_t times) {
  add_to_words<3>(words, static_cast<Uint128>(offset) * times);
  if (!layout.squares) return;
  // (a 2^64 + b) times; leaving out the last word of a number multiplies what is added by 2^64
  const Uint128 square = static_cast<Uint128>(offset) * offset;
  add_to_words<5>(words + 3, static_cast<Uint128>(static_cast<std::uint64_t>(square)) * times);
  add_to_words<4>(words + 3, (square >> 64) * times);
}

// Of wide grids:
inline void add_to_moments(const MomentLayout& layout, std::uint64_t* words,
                           std::int64_t count_before, Uint128 offset) {
  add_to_words<3>(words, offset);
  if (layout.squares) {
    // (a 2^64 + b)^2; leaving out the last word of a number multiplies what is added by 2^64
    const Uint128 a = offset >> 64, b = static_cast<std::uint64_t>(offset);
    add_to_words<5>(words + 3, b * b);
    add_to_words<4>(words + 3, a * b);
    add_to_words<4>(words + 3, a * b);
    add_to_words<3>(words + 3, a * a);
  }
  if (between_ends(layout, words, count_before, offset)) return;
  add_to_ends(layout, words, count_before, offset);
}

// Adds the rows of other words of the same layout.
void merge_moments(const MomentLayout& layout, std::uint64_t* into, std::int64_t into_count,
                   const std::uint64_t* from, std::int64_t from_count);

// Whether a state that came from outside is one that rows could have made, as far as its numbers
// tell: the ends are ordered and within the bounds, agree with each other where they overlap, the
// unused words are zero, and the sum and the squares of all other rows are possible for values
// between the ends. Then every variance is >= 0, and every value read from it is within bounds.
// width is that of the bounds, the greatest offset there can be.
bool moments_sound(const MomentLayout& layout, const mpz_class& width, const std::uint64_t* words,
                   std::int64_t count);

struct MomentTotals {
  mpz_class count;
  mpz_class sum;      // of the offsets
  mpz_class squares;  // 0 if they are not kept
  // the ends, as many as there are: smallest[i] is the offset of rank i + 1, largest[i] of rank
  // count - i
  std::vector<mpz_class> smallest;
  std::vector<mpz_class> largest;
};

MomentTotals read_moments(const MomentLayout& layout, const std::uint64_t* words,
                          std::int64_t count);

}  // namespace idp
