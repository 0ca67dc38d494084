// The grid of an answer that is a sum, an average, a variance or a standard deviation. It is
// public: it follows from what is asked for, the column's type and the bounds.
//
//                        integers   numeric(p, s)   numeric       floats
//   sum                  1          10^-s           10^-16        step
//   average, deviation   10^-16     10^-(s+16)      10^-16        step 2^-40
//   variance             10^-16     10^-(2s+16)     10^-16        step^2 2^-40
//
// where step is that of the column's public grid: 10^-16 already for a numeric column that
// declares no scale.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include "core/collect/moments.h"
#include "core/grid/grid.h"

namespace idp {

// What is asked of a column whose values are clamped to public bounds.
struct MomentQuestion {
  Moment moment;
  Grid grid;
  Key128 lower;  // keys of the grid, narrow ones widened
  Key128 upper;
};

// units * 10^-scale if decimal, else units * 2^-scale
struct Number {
  mpz_class units;
  bool decimal = true;
  long scale = 0;

  friend bool operator==(const Number&, const Number&) = default;
};

class ResultGrid {
 public:
  explicit ResultGrid(const MomentQuestion& question);

  // A value in steps of the column, a variance in steps squared, as units of this grid, rounded
  // down. Of a standard deviation the variance is asked for, and this takes its root:
  // floor(sqrt(v)/unit) = isqrt(floor(v/unit^2)), because k <= sqrt(z) exactly if k^2 <= floor(z).
  // Increasing (not strictly) in the value.
  mpz_class units(const mpq_class& value) const;

  Number number(mpz_class units) const;

 private:
  bool decimal_;
  bool root_;
  long scale_;
  mpz_class numerator_ = 1;  // units in a step, or of its square
  mpz_class denominator_ = 1;
};

}  // namespace idp
