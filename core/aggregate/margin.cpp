#include "core/aggregate/margin.h"

#include <cmath>
#include <limits>
#include <vector>

#include "core/mechanism/count.h"
#include "core/mechanism/private_moments.h"
#include "core/random/enclosure.h"
#include "core/sensitivity/moments.h"

namespace idp {

namespace {

// 2 alpha^(t+1) <= doubt (1 + alpha)
bool covers(const Rate& rate, const mpz_class& t, const mpq_class& doubt) {
  const mpz_class exponent = (t + 1) * rate.numerator;
  const mpz_class& above = doubt.get_num();
  const mpz_class& below = doubt.get_den();
  for (unsigned long precision = 64;; precision *= 2) {
    const Enclosure power = enclose_exp(exponent, rate.denominator, precision);
    const Enclosure alpha = enclose_exp(rate.numerator, rate.denominator, precision);
    const mpz_class one = mpz_class(1) << precision;
    if (2 * power.high * below <= above * (one + alpha.low)) return true;
    if (2 * power.low * below > above * (one + alpha.high)) return false;
  }
}

// About -ln(doubt), which may be far below the least double.
double log_doubt(const mpq_class& doubt) {
  long exponent_above, exponent_below;
  const double above = mpz_get_d_2exp(&exponent_above, doubt.get_num_mpz_t());
  const double below = mpz_get_d_2exp(&exponent_below, doubt.get_den_mpz_t());
  return std::log(below / above) +
         static_cast<double>(exponent_below - exponent_above) * std::log(2.0);
}

// Near the quantile. 2/(1 + alpha) lies between 1 and 2, so the quantile between these two.
struct Range {
  mpz_class low, high;
};

Range range_of(const Rate& rate, const mpq_class& doubt) {
  const mpq_class mean(rate.denominator, rate.numerator);
  const double doubtful = log_doubt(doubt);
  const mpq_class low = mpq_class(std::max(0.0, doubtful * (1 - 1e-12))) * mean - 2;
  const mpq_class high = mpq_class((doubtful + std::log(2.0)) * (1 + 1e-12) + 1e-12) * mean + 1;
  Range range;
  mpz_fdiv_q(range.low.get_mpz_t(), low.get_num_mpz_t(), low.get_den_mpz_t());
  mpz_cdiv_q(range.high.get_mpz_t(), high.get_num_mpz_t(), high.get_den_mpz_t());
  if (range.low < -1) range.low = -1;
  return range;
}

mpq_class value_of(const Number& number) {
  mpz_class power;
  const auto digits = static_cast<unsigned long>(std::abs(number.scale));
  if (number.decimal) {
    mpz_ui_pow_ui(power.get_mpz_t(), 10, digits);
  } else {
    power = mpz_class(1) << digits;
  }
  mpq_class value(number.units);
  if (number.scale < 0) return value * power;
  return value / power;
}

}  // namespace

mpz_class noise_quantile(const Rate& rate, const mpq_class& doubt) {
  const mpz_class kExact = mpz_class(1) << 50;
  auto [low, high] = range_of(rate, doubt);  // low does not cover, or is -1; high covers
  while (low >= 0 && covers(rate, low, doubt)) low = low / 2 - 1;
  while (!covers(rate, high, doubt)) high = 2 * high + 1;
  const mpz_class tolerance = high > kExact ? mpz_class(high / 1000000000000) : mpz_class(1);
  while (high - low > tolerance) {
    const mpz_class middle = (low + high) >> 1;
    (covers(rate, middle, doubt) ? high : low) = middle;
  }
  return high;
}

std::optional<mpq_class> margin_of(const Spec& spec, std::span<const double> epsilons,
                                   Neighbours neighbours, const mpq_class& doubt) {
  Frozen frozen;
  switch (spec.statistic) {
    case Statistic::kCount:
    case Statistic::kCountRange:
    case Statistic::kTruncatedRange:
    case Statistic::kDistinct:
      frozen = freeze_count(0);
      break;
    case Statistic::kPrivateSum:
      frozen = freeze_private_moments(Moment::kSum, {},
                                      step_bounds(spec.grid, spec.lower, spec.upper), neighbours);
      break;
    default:
      return std::nullopt;
  }
  const auto rate = rate_of(frozen, 0, epsilons);
  if (!rate) return mpq_class(0);
  mpz_class units = noise_quantile(*rate, doubt);
  if (spec.mechanism() == Mechanism::kTruncated && units > 1) units = 1;
  if (spec.statistic != Statistic::kPrivateSum) return mpq_class(units);
  const ResultGrid grid(moment_question(spec));
  return value_of(grid.number(grid.units(mpq_class(units))));
}

double double_above(const mpq_class& number) {
  const double below = number.get_d();  // cut off
  if (std::isinf(below) || mpq_class(below) == number) return below;
  return std::nextafter(below, std::numeric_limits<double>::infinity());
}

}  // namespace idp
