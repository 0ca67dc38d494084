// The unit of privacy: whose data a guarantee hides, and how two data sets differ that must not be
// told apart.
//
// One individual owns one record, unless tables say whose each of their records is
// (extension/plan/unit.h). An answer over rows of which one unit has up to m protects the unit as a
// group of m records is protected.
#pragma once

#include "core/no_postgres.h"

#include <algorithm>
#include <compare>
#include <cstdint>

#include "core/sensitivity/neighbours.h"

namespace idp {

// How many of some rows one unit can have, or change, at most. Beyond any count that could be paid
// for it is unbounded.
class Multiplicity {
 public:
  static constexpr std::int32_t kMost = 1'000'000'000;

  static constexpr Multiplicity unbounded() { return Multiplicity(kMost + 1); }
  static constexpr Multiplicity of(std::int64_t count) {
    return Multiplicity(std::clamp<std::int64_t>(count, 0, kMost + 1));
  }

  constexpr bool is_bounded() const { return count_ <= kMost; }
  constexpr std::int32_t count() const { return static_cast<std::int32_t>(count_); }

  // Of the rows of two relations together, and of the pairs of their rows.
  friend constexpr Multiplicity operator+(Multiplicity a, Multiplicity b) {
    return of(a.count_ + b.count_);
  }
  friend constexpr Multiplicity operator*(Multiplicity a, Multiplicity b) {
    return of(a.count_ * b.count_);
  }
  friend constexpr auto operator<=>(const Multiplicity&, const Multiplicity&) = default;

 private:
  explicit constexpr Multiplicity(std::int64_t count) : count_(count) {}
  std::int64_t count_;
};

}  // namespace idp
