// The grid of a mechanism whose every observable must be public (epsilon-DP): it follows from the
// column's type and the public bounds alone.
//
// Exact types keep the steps of their own grid. For floats a step is 2^-52 of the power of two of
// the larger bound's magnitude (never finer than the smallest double): a value between the bounds
// is a whole number of at most 2^53 steps, so every answer is exactly a double, and its low bits
// are as public as the grid.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include "core/grid/grid.h"

namespace idp {

template <class Key>
class PublicGrid {
 public:
  // lower <= upper, both finite
  PublicGrid(const Grid& grid, Key lower, Key upper);

  // The bounds in steps, rounded towards the inside. The larger one in magnitude is on the grid, so
  // lower() <= upper().
  const mpz_class& lower() const { return lower_; }
  const mpz_class& upper() const { return upper_; }

  // Floats: a step is 2^step_exponent().
  long step_exponent() const { return kFloatStepExponent + static_cast<long>(dropped_); }

  // A value in steps: clamped to the bounds, put on the grid by floor.
  mpz_class steps(Key key) const;
  // The key of that many steps; exact for lower() <= steps <= upper().
  Key key(const mpz_class& steps) const;
  // That key, or for real columns, whose steps are doubles between two floats, the nearer of these:
  // monotone, so it stays within the bounds.
  Key answer(const mpz_class& steps) const;

 private:
  mpz_class floor_steps(Key key) const;

  Grid grid_;
  Key lower_key_;
  Key upper_key_;
  unsigned long dropped_ = 0;  // floats: the step is 2^dropped_ of the finest one
  mpz_class lower_;
  mpz_class upper_;
};

}  // namespace idp
