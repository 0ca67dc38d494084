// Which noisy counts support an answer: against the probabilities of the noise, added up, and where
// doubles could not tell.
#include <gtest/gtest.h>

#include <mpfr.h>

#include <cmath>
#include <initializer_list>
#include <random>

#include "core/mechanism/noisy_count.h"
#include "core/mechanism/private_moments.h"

namespace idp::test {
namespace {

using Real = long double;

// The greatest count that supports no answer.
mpz_class threshold(const Rate& rate) {
  mpz_class low = 0, high = ample_count(rate);  // the first does not, the second does
  EXPECT_FALSE(supports_answer(low, rate));
  EXPECT_TRUE(supports_answer(high, rate));
  while (high - low > 1) {
    const mpz_class middle = (low + high) / 2;
    (supports_answer(middle, rate) ? high : low) = middle;
  }
  return low;
}

// The smallest k with Pr[N > k] <= 1/20, by adding up the probabilities of a noise from the least
// one on; -1 where a sum is too close to tell in long doubles.
long summed_threshold(Real rate) {
  const Real alpha = std::exp(-rate), of_zero = (1 - alpha) / (1 + alpha);
  const auto probability = [&](long i) {
    return of_zero * std::exp(-rate * static_cast<Real>(std::abs(i)));
  };
  Real at_most = 0;
  for (long i = -static_cast<long>(std::ceil(60 / rate)); i < 0; ++i) at_most += probability(i);
  for (long k = 0;; ++k) {
    at_most += probability(k);
    if (std::abs(1 - at_most - 0.05L) < 1e-12L) return -1;
    if (1 - at_most <= 0.05L) return k;
  }
}

TEST(NoisyCount, SupportsWhatRowsAloneExplain) {
  std::mt19937_64 random(1);
  int told = 0;
  for (int i = 0; i < 3000; ++i) {
    const Rate rate{static_cast<unsigned long>(random() % 4000 + 1),
                    static_cast<unsigned long>(random() % 4000 + 1)};
    const Real r =
        static_cast<Real>(rate.numerator.get_ui()) / static_cast<Real>(rate.denominator.get_ui());
    if (r < 0.01L) continue;
    const long expected = summed_threshold(r);
    if (expected < 0) continue;
    ++told;
    ASSERT_EQ(threshold(rate), expected) << rate.numerator << '/' << rate.denominator;
  }
  EXPECT_GT(told, 2900);
}

// Once supported, supported by every greater count; by none below 1.
TEST(NoisyCount, MoreRowsSupportMore) {
  for (const Rate& rate : {Rate{1, 4}, Rate{9, 25}, Rate{1, 40}, Rate{7, 2}, Rate{500, 1}}) {
    bool before = false;
    for (long m = -5; m < 200; ++m) {
      const bool now = supports_answer(m, rate);
      ASSERT_TRUE(now || !before) << m;
      ASSERT_TRUE(m >= 1 || !now) << m;
      before = now;
    }
    EXPECT_TRUE(before);
  }
}

TEST(NoisyCount, TheThresholdsThatAreDocumented) {
  const struct {
    double epsilon;
    long average, variance, clipped_average, clipped_variance;
  } rows[] = {{0.1, 46, 64, 92, 128},
              {0.5, 9, 13, 18, 26},
              {1, 5, 6, 9, 13},
              {2, 2, 3, 5, 6},
              {5, 1, 1, 2, 2}};
  const auto of = [](double epsilon, const mpq_class& sensitivity) {
    const mpq_class rate = mpq_class(epsilon) / sensitivity;
    return threshold({rate.get_num(), rate.get_den()});
  };
  const mpq_class average = average_sensitivities(1).count;
  const mpq_class variance = variance_sensitivities(1).count;
  for (const auto& row : rows) {
    EXPECT_EQ(of(row.epsilon, average), row.average) << row.epsilon;
    EXPECT_EQ(of(row.epsilon, variance), row.variance) << row.epsilon;
    EXPECT_EQ(of(row.epsilon, 2 * average), row.clipped_average) << row.epsilon;
    EXPECT_EQ(of(row.epsilon, 2 * variance), row.clipped_variance) << row.epsilon;
  }
}

// ln 19 is the rate at which Pr[N > 0] = 1/20: rational numbers around it that differ in their
// hundredth digit only. In doubles they are the same, and whatever decides by these is wrong of
// one.
TEST(NoisyCount, IsDecidedWhereDoublesCannotTell) {
  mpfr_t x;
  mpfr_init2(x, 400);
  Rate below, above;
  for (const bool up : {false, true}) {
    mpfr_set_ui(x, 19, MPFR_RNDN);
    mpfr_log(x, x, up ? MPFR_RNDU : MPFR_RNDD);
    Rate& rate = up ? above : below;
    const mpfr_exp_t exponent = mpfr_get_z_2exp(rate.numerator.get_mpz_t(), x);
    ASSERT_LT(exponent, 0);
    rate.denominator = mpz_class(1) << static_cast<unsigned long>(-exponent);
  }
  mpfr_clear(x);
  EXPECT_FALSE(supports_answer(1, below));
  EXPECT_TRUE(supports_answer(1, above));
  const auto by_doubles = [](const Rate& rate) {
    const double alpha = std::exp(-mpq_class(rate.numerator, rate.denominator).get_d());
    return 20 * alpha <= 1 + alpha;
  };
  EXPECT_EQ(by_doubles(below), by_doubles(above));
}

TEST(NoisyCount, RatesOfEverySize) {
  const Rate small = Rate::of(5e-324, 2), large = Rate::of(1.7e308, 1);
  EXPECT_FALSE(supports_answer(mpz_class(1) << 1000, small));
  EXPECT_TRUE(supports_answer(ample_count(small), small));
  EXPECT_TRUE(supports_answer(1, large));
  EXPECT_FALSE(supports_answer(0, large));
  EXPECT_EQ(ample_count(large), 1);
  for (const Rate& rate : {small, large, Rate{1, 4}, Rate{3, 1}, Rate{3, 7}}) {
    EXPECT_GE(ample_count(rate) * rate.numerator, 3 * rate.denominator);
    EXPECT_LT((ample_count(rate) - 1) * rate.numerator, 3 * rate.denominator);
  }
}

}  // namespace
}  // namespace idp::test
