#include "core/mechanism/private_moments.h"

#include <algorithm>

namespace idp {

namespace {

Rate part(double epsilon, unsigned long numerator, const mpz_class& denominator) {
  Rate rate = Rate::of(epsilon, denominator);
  rate.numerator *= numerator;
  return rate;
}

mpq_class ratio(const mpz_class& numerator, const mpz_class& denominator) {
  mpq_class q(numerator, denominator);
  q.canonicalize();
  return q;
}

mpq_class release_sum(const MomentTotals& totals, const StepBounds& bounds, double epsilon,
                      BitSource& bits) {
  const mpz_class sum = totals.sum + totals.count * bounds.lower;
  const mpz_class sensitivity = sum_sensitivity(bounds);
  if (sensitivity == 0) return sum;
  return mpz_class(sum + discrete_laplace(Rate::of(epsilon, sensitivity), bits));
}

mpz_class noisy_centred(const MomentTotals& totals, const mpz_class& width, const Rate& rate,
                        BitSource& bits) {
  return 2 * totals.sum - totals.count * width + discrete_laplace(rate, bits);
}

mpz_class noisy_count(const MomentTotals& totals, const Rate& rate, BitSource& bits) {
  const mpz_class count = totals.count + discrete_laplace(rate, bits);
  return std::max<mpz_class>(count, 1);
}

mpq_class release_average(const MomentTotals& totals, const StepBounds& bounds, double epsilon,
                          BitSource& bits) {
  const mpz_class width = bounds.width();
  if (width == 0) return bounds.lower;
  const MomentRates rates = average_rates(epsilon, width);
  const mpz_class centred = noisy_centred(totals, width, rates.centred, bits);
  const mpz_class count = noisy_count(totals, rates.count, bits);
  const mpq_class offset = ratio(width * count + centred, 2 * count);
  return bounds.lower + std::clamp<mpq_class>(offset, 0, width);
}

mpq_class release_variance(const MomentTotals& totals, const mpz_class& width, double epsilon,
                           BitSource& bits) {
  if (width == 0) return 0;
  const MomentRates rates = variance_rates(epsilon, width);
  const mpz_class area = width * width;
  // the sum of 2 (2t - W)^2 - W^2
  const mpz_class squares = 8 * (totals.squares - width * totals.sum) + totals.count * area +
                            discrete_laplace(rates.squares, bits);
  const mpz_class centred = noisy_centred(totals, width, rates.centred, bits);
  const mpz_class count = noisy_count(totals, rates.count, bits);
  const mpq_class variance =
      ratio(count * (squares + count * area) - 2 * centred * centred, 8 * count * count);
  return std::clamp<mpq_class>(variance, 0, ratio(area, 4));
}

}  // namespace

MomentRates average_rates(double epsilon, const mpz_class& width) {
  return {part(epsilon, 1, 2 * width), {0, 1}, part(epsilon, 1, 2)};
}

MomentRates variance_rates(double epsilon, const mpz_class& width) {
  return {part(epsilon, 8, 25 * width), part(epsilon, 8, 25 * width * width), part(epsilon, 9, 25)};
}

mpz_class sum_sensitivity(const StepBounds& bounds) {
  return std::max<mpz_class>({bounds.width(), abs(bounds.lower), abs(bounds.upper)});
}

mpq_class release_private_moments(Statistic statistic, const MomentTotals& totals,
                                  const StepBounds& bounds, double epsilon, BitSource& bits) {
  switch (statistic) {
    case Statistic::kPrivateSum:
      return release_sum(totals, bounds, epsilon, bits);
    case Statistic::kPrivateAverage:
      return release_average(totals, bounds, epsilon, bits);
    default:
      return release_variance(totals, bounds.width(), epsilon, bits);
  }
}

}  // namespace idp
