// Approximate differential privacy: an epsilon, and a delta by which it may be missed.
//
//   Pr[answer in S | D] <= e^epsilon Pr[answer in S | D'] + delta     for all neighbours D, D'
//
// Losses add up part by part (basic composition), and of answers of which a neighbour changes one
// alone the greatest of each part counts.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>
#include <mpfr.h>

#include <algorithm>
#include <stdexcept>

#include "core/accounting/measure.h"

namespace idp {

struct ApproximateLoss {
  mpq_class epsilon;
  mpq_class delta;

  bool operator==(const ApproximateLoss&) const = default;
  // Whether a budget of the other suffices.
  friend bool operator<=(const ApproximateLoss& a, const ApproximateLoss& b) {
    return a.epsilon <= b.epsilon && a.delta <= b.delta;
  }
};

struct ApproximateEpsilon {
  using Loss = ApproximateLoss;

  static Loss none() { return {0, 0}; }
  static Loss in_sequence(const Loss& a, const Loss& b) {
    return {a.epsilon + b.epsilon, a.delta + b.delta};
  }
  static Loss in_parallel(const Loss& a, const Loss& b) {
    return {std::max(a.epsilon, b.epsilon), std::max(a.delta, b.delta)};
  }
  static Loss further(const Loss& before, const Loss& with) {
    const Loss both = in_parallel(before, with);
    return {both.epsilon - before.epsilon, both.delta - before.delta};
  }
};
static_assert(Measure<ApproximateEpsilon>);

// What an answer loses for groups of `size` records, size >= 1: (m epsilon, delta (e^(m epsilon) -
// 1)/(e^epsilon - 1)), m the size. Step by step from D to D', the i-th of m steps adds
// e^((m - i) epsilon) delta: this is their sum. Delta is rounded up, in the 64th binary place,
// where it is not 0, and 1 where it would be more: from there on it promises nothing.
inline ApproximateLoss loss_of_group(const ApproximateLoss& loss, unsigned long size) {
  if (size < 1) throw std::invalid_argument("a group has at least one record");
  if (loss.delta == 0 || size == 1) return {loss.epsilon * size, loss.delta};
  if (loss.epsilon == 0) return {0, std::min<mpq_class>(loss.delta * size, 1)};
  constexpr mpfr_prec_t kPlaces = 64;
  const mpq_class exponent = loss.epsilon * size;
  mpfr_t all, one;
  mpfr_inits2(kPlaces, all, one, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_q(all, exponent.get_mpq_t(), MPFR_RNDU);
  mpfr_expm1(all, all, MPFR_RNDU);
  mpfr_set_q(one, loss.epsilon.get_mpq_t(), MPFR_RNDD);
  mpfr_expm1(one, one, MPFR_RNDD);
  mpq_class delta = 1;
  if (mpfr_inf_p(all) == 0) {
    mpfr_div(all, all, one, MPFR_RNDU);
    mpfr_mul_q(all, all, loss.delta.get_mpq_t(), MPFR_RNDU);
    if (mpfr_cmp_ui(all, 1) < 0) mpfr_get_q(delta.get_mpq_t(), all);
  }
  mpfr_clears(all, one, static_cast<mpfr_ptr>(nullptr));
  return {loss.epsilon * size, delta};
}

}  // namespace idp
