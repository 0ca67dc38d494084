// The formulas of sums and averages (moments.h here, core/mechanism/private_moments.h) in integers
// of either kind: GMP's, or machine words where whoever uses them has seen that none is too long
// (core/mechanism/short_moments.h).
#pragma once

#include "core/no_postgres.h"

#include <algorithm>

#include "core/collect/moments.h"
#include "core/sensitivity/neighbours.h"

namespace idp {

// The bounds L and U in steps of the public grid.
template <class Integer>
struct BoundsInSteps {
  Integer lower;
  Integer upper;

  Integer width() const { return upper - lower; }
};

// A sum or an average, and the extent of it at a distance that grows: numerators of one
// denominator.
template <class Integer>
class LinearMoment {
 public:
  // At distance 0. offsets is the sum of the records' offsets.
  LinearMoment(Moment moment, const Integer& count, const Integer& offsets,
               const BoundsInSteps<Integer>& bounds)
      : is_sum_(moment == Moment::kSum), bounds_(bounds) {
    if (!is_sum_ && count == 0) {
      value_ = bounds.lower + bounds.upper;
      least_ = 2 * bounds.lower;
      greatest_ = 2 * bounds.upper;
      denominator_ = 2;
      return;
    }
    value_ = least_ = greatest_ = offsets + count * bounds.lower;
    if (!is_sum_) denominator_ = count;
  }

  // One farther, where no record is left to be taken away.
  void widen() {
    if (!is_sum_) return;
    greatest_ += positive_part(bounds_.upper);
    least_ -= positive_part(-bounds_.lower);
  }
  // One farther, by the records that are next from either end: their offsets.
  void widen(const Integer& smallest, const Integer& largest) {
    widen();
    if (is_sum_) {
      greatest_ += positive_part(-(smallest + bounds_.lower));
      least_ -= positive_part(largest + bounds_.lower);
    } else {
      greatest_ += bounds_.width() - smallest;
      least_ -= largest;
    }
  }

  const Integer& value() const { return value_; }
  const Integer& least() const { return least_; }
  const Integer& greatest() const { return greatest_; }
  const Integer& denominator() const { return denominator_; }

 private:
  static Integer positive_part(const Integer& v) { return std::max<Integer>(v, 0); }

  bool is_sum_;
  BoundsInSteps<Integer> bounds_;
  Integer value_, least_, greatest_;
  Integer denominator_ = 1;
};

// The greatest change of a sum by one record, max(W, |L|, |U|), or max(|L|, |U|) if none is
// substituted: 0 only if all records are 0.
template <class Integer>
Integer sum_sensitivity(const BoundsInSteps<Integer>& bounds,
                        Neighbours neighbours = Neighbours::kSubstitute) {
  const Integer one = std::max<Integer>(-bounds.lower, bounds.upper);
  return neighbours == Neighbours::kAddRemove ? one : std::max<Integer>(bounds.width(), one);
}

// C, the sum of the offsets from the middle in half steps.
template <class Integer>
Integer centred_sum(const Integer& count, const Integer& offsets, const Integer& width) {
  return 2 * offsets - count * width;
}

// How far the average lies above the lower bound, of a C and a number of rows that have noise: the
// numerator, between 0 and the width; the denominator is twice the rows, at least 1.
template <class Integer>
Integer offset_of_average(const Integer& centred, const Integer& rows, const Integer& width) {
  return std::clamp<Integer>(width * rows + centred, 0, 2 * width * rows);
}

}  // namespace idp
