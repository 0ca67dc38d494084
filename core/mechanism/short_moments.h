// The sums and averages of core/mechanism/moments.h and private_moments.h in machine words: those
// of columns with narrow keys, with one epsilon. What takes the time by long integers is their
// memory.
//
// It is the same function of the same words, step by step, so it has the same law and the same
// proof: the formulas are written once (core/sensitivity/linear_moments.h), and a test holds the
// two against each other. Where offsets are t in [0, W], x = t + L in steps
// and F are the units in a step, numbers are short because
//
//   W < 2^64, |L|, |U| <= 2^63, F <= 10^16 < 2^54, and the count n is asked to be below 2^54:
//
// every sum is below 2^118, and a quotient floor(v F/n) with |v/n| < 2^64 is q F + floor(r F/n),
// q = floor(v/n), r = v - q n.
#pragma once

#include "core/no_postgres.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

#include "core/collect/moments.h"
#include "core/mechanism/frozen.h"
#include "core/mechanism/result_grid.h"
#include "core/random/bit_source.h"
#include "core/sensitivity/linear_moments.h"

namespace idp {

// A Number (core/mechanism/result_grid.h) that is short.
struct ShortNumber {
  Int128 units;
  bool decimal;
  long scale;
};

//   monostate    a number is too long: no word was drawn, and the long integers are to answer
//   Number       the noise turned out too long, which is unlikely
using MaybeShort = std::variant<std::monostate, Suppressed, ShortNumber, Number>;

// What is asked for: individually private with one epsilon, or epsilon-DP for these neighbours.
struct ShortQuestion {
  MomentQuestion question;
  bool is_local;
  double epsilon;
  Neighbours neighbours = Neighbours::kSubstitute;
};

// What of it does not depend on the rows. No member is aligned to more than 8 bytes: this may lie
// in server memory.
class ShortMoments {
 public:
  // Nothing for other moments and for wide columns.
  static std::optional<ShortMoments> of(const ShortQuestion& asked);

  // The answer that is the only one: what freezing, draw_noise() and answering make of these bits.
  // The words have the layout {no squares, one end or none}.
  MaybeShort release(const std::uint64_t* words, std::int64_t count, BitSource& bits) const;

 private:
  struct Totals;
  ShortMoments() = default;
  MomentLayout layout() const { return {false, asked_.is_local ? std::size_t{1} : 0}; }
  MaybeShort local(const Totals& totals, BitSource& bits) const;
  MaybeShort private_sum(const Totals& totals, BitSource& bits) const;
  MaybeShort private_average(const Totals& totals, const std::uint64_t* words,
                             BitSource& bits) const;
  bool supports(Int128 noisy_count) const;
  MaybeShort with_noise(Int128 value, Int128 sensitivity, BitSource& bits) const;
  BoundsInSteps<Int128> bounds() const { return {lower_, upper_}; }
  ShortNumber number(Int128 units) const { return {units, decimal_, scale_}; }
  // floor(F numerator / denominator), denominator > 0
  Int128 units(Int128 numerator, std::int64_t denominator) const;

  ShortQuestion asked_{};
  std::int64_t lower_ = 0;  // L and U
  std::int64_t upper_ = 0;
  std::int64_t in_a_step_ = 1;  // F
  bool decimal_ = true;
  long scale_ = 0;
  std::int64_t ample_ = 0;  // of an average: a noisy count that supports it (noisy_count.h)
};

}  // namespace idp
