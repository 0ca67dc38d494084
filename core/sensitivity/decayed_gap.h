// Numbers of the form gap * exp(-beta * distance), compared exactly: what a smooth sensitivity is
// the greatest of.
//
// Two of them with positive gaps and different distances are never equal: exp(x) is transcendental
// for rational x other than 0 (Hermite, Lindemann). So any enclosure that is refined decides.
#pragma once

#include "core/no_postgres.h"

#include <gmpxx.h>

#include <cstdint>

#include "core/random/discrete_laplace.h"
#include "core/random/weighted_choice.h"

namespace idp {

struct DecayedGap {
  mpz_class gap;              // >= 0
  std::int64_t distance = 0;  // k; less than 2^53
};

class Decay {
 public:
  // beta = numerator/denominator > 0
  explicit Decay(Rate beta);

  // Whether a is the smaller real number. Doubles decide only what lies clear of their proven
  // error; the rest is decided by enclosures.
  bool less(const DecayedGap& a, const DecayedGap& b) const;

  // exp(-beta * distance) * 2^precision
  Enclosure power(std::int64_t distance, unsigned long precision) const;

  // beta as a double, which may be 0 or infinite: for choices that change only the time
  double rounded() const { return rounded_; }

 private:
  bool less_by_enclosure(const DecayedGap& a, const DecayedGap& b) const;

  Rate beta_;
  double rounded_;
};

}  // namespace idp
