#include "core/sensitivity/decayed_gap.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace idp {

namespace {

double difference(const mpz_class& greater, const mpz_class& smaller) {
  if (greater.fits_slong_p() && smaller.fits_slong_p()) {
    return static_cast<double>(greater.get_si() - smaller.get_si());  // both >= 0
  }
  return mpz_class(greater - smaller).get_d();
}

}  // namespace

Decay::Decay(Rate beta)
    : beta_(std::move(beta)), rounded_(mpq_class(beta_.numerator, beta_.denominator).get_d()) {}

bool Decay::less(const DecayedGap& a, const DecayedGap& b) const {
  if (b.gap == 0) return false;
  if (a.gap == 0) return true;
  if (a.distance == b.distance) return a.gap < b.gap;
  if (a.distance > b.distance) return !less(b, a);  // they are never equal
  if (a.gap >= b.gap) return false;
  // Now a < b exactly if log(b.gap / a.gap) > beta * (b.distance - a.distance). Each of the two
  // sides is off by less than 2^-48 of itself: a gap, a difference and beta by 2^-52, a quotient
  // and a product by 2^-53, log1p by a few of its last places, and it magnifies no relative error.
  // Where beta is subnormal its error is at most 2^-1074 * 2^53 < 1e-300. An infinity or NaN fails
  // both tests.
  const double gained = std::log1p(difference(b.gap, a.gap) / a.gap.get_d());
  const double lost =
      std::min(rounded_ * static_cast<double>(b.distance - a.distance), 1e300);  // gained < 1e300
  const double margin = 0x1p-45 * (gained + lost) + 1e-300;
  if (gained - lost > margin) return true;
  if (lost - gained > margin) return false;
  return less_by_enclosure(a, b);
}

bool Decay::less_by_enclosure(const DecayedGap& a, const DecayedGap& b) const {
  for (unsigned long precision = 128;; precision *= 2) {
    const Enclosure kept = power(b.distance - a.distance, precision);
    const mpz_class scaled = a.gap << precision;
    if (b.gap * kept.low > scaled) return true;
    if (b.gap * kept.high < scaled) return false;
  }
}

Enclosure Decay::power(std::int64_t distance, unsigned long precision) const {
  return enclose_exp(beta_.numerator * mpz_class(static_cast<long>(distance)), beta_.denominator,
                     precision);
}

}  // namespace idp
