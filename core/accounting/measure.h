// Measures of privacy: what an answer loses, and how losses add up. A measure is a type with a
// Loss, that of nothing, and three ways to put losses together; composition.h needs no more.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <stdexcept>

namespace idp {

template <class M>
concept Measure = requires(const typename M::Loss& loss) {
  { M::none() } -> std::same_as<typename M::Loss>;
  // of answers from the same data, the second chosen after the first was seen
  { M::in_sequence(loss, loss) } -> std::same_as<typename M::Loss>;
  // of answers of which a neighbour changes one alone
  { M::in_parallel(loss, loss) } -> std::same_as<typename M::Loss>;
  // what in_parallel(before, with) is more than before: in_sequence() of before and this is that
  { M::further(loss, loss) } -> std::same_as<typename M::Loss>;
  { loss <= loss } -> std::convertible_to<bool>;
};

// Pure epsilon-DP, and epsilon-iDP: the log of the greatest ratio of probabilities. Losses are
// exact: a double is a rational number, and ten times 0.1 is what ten doubles of 0.1 are.
struct PureEpsilon {
  using Loss = mpq_class;

  // Throws std::invalid_argument unless epsilon is finite and not less than 0.
  static Loss of(double epsilon) {
    if (!std::isfinite(epsilon) || epsilon < 0) {
      throw std::invalid_argument("epsilon must be a finite number not less than 0");
    }
    return Loss(epsilon);
  }
  static Loss none() { return 0; }
  static Loss in_sequence(const Loss& a, const Loss& b) { return a + b; }
  static Loss in_parallel(const Loss& a, const Loss& b) { return std::max(a, b); }
  static Loss further(const Loss& before, const Loss& with) {
    return in_parallel(before, with) - before;
  }
};
static_assert(Measure<PureEpsilon>);

}  // namespace idp
