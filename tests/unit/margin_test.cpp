// Margins against the law of the noise, summed term by term, and against noise as it is drawn.
#include "core/aggregate/margin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/aggregate/accuracy.h"
#include "core/mechanism/frozen.h"
#include "tests/support/bits.h"
#include "tests/support/thin.h"

namespace idp::test {
namespace {

const double kDoubts[] = {0.5, 0.3, 0.05, 0.01, 1e-4};

// Pr[|N| > t], summed from the far end.
long double tail_by_sum(long double r, long t) {
  long double total = 0, tail = 0;
  for (long i = t + std::lround(120 / r) + 1; i >= 0; --i) {
    const long double weight = std::exp(-r * static_cast<long double>(i)) * (i == 0 ? 1 : 2);
    total += weight;
    if (i > t) tail += weight;
  }
  return tail / total;
}

TEST(Margin, IsTheLeastThatHolds) {
  for (const double epsilon : {0.01, 0.1, 0.5, 1.0, 3.0, 10.0, 100.0}) {
    for (const long sensitivity : {1L, 2L, 7L, 50L}) {
      const Rate rate = Rate::of(epsilon, sensitivity);
      const long double r = static_cast<long double>(epsilon) / sensitivity;
      if (r < 1e-3L) continue;  // too long a sum
      for (const double doubt : kDoubts) {
        SCOPED_TRACE(testing::Message() << epsilon << " " << sensitivity << " " << doubt);
        const long t = noise_quantile(rate, mpq_class(doubt)).get_si();
        EXPECT_LE(tail_by_sum(r, t), doubt);
        if (t > 0) {
          EXPECT_GT(tail_by_sum(r, t - 1), doubt);
        }
      }
    }
  }
}

TEST(Margin, IsNearTheLimitWhereUnitsAreFine) {
  for (const double epsilon : {1e-18, 1e-12, 1e-6, 1e-3}) {
    for (const double doubt : {0.5, 0.05, 1e-9, 1e-300}) {
      const double t = noise_quantile(Rate::of(epsilon, 1), mpq_class(doubt)).get_d();
      const double limit = -std::log(doubt) / epsilon;
      EXPECT_NEAR(t / limit, 1, 1e-3) << epsilon << " " << doubt;
      EXPECT_GE(t, limit - 2) << epsilon << " " << doubt;
    }
  }
}

TEST(Margin, GrowsWithConfidence) {
  mpz_class before = -1;
  for (double doubt = 0.9; doubt > 1e-12; doubt *= 0.7) {
    const mpz_class t = noise_quantile(Rate::of(0.05, 3), mpq_class(doubt));
    EXPECT_GE(t, before);
    before = t;
  }
}

// doubt next to where the least number of units changes.
TEST(Margin, DecidesNextToAStep) {
  const Rate rate = Rate::of(1, 1);
  const long double alpha = std::exp(-1.0L);
  const auto at = static_cast<double>(2 * std::pow(alpha, 4) / (1 + alpha));  // t = 3
  EXPECT_EQ(noise_quantile(rate, mpq_class(std::nextafter(at, 1.0))), 3);
  EXPECT_EQ(noise_quantile(rate, mpq_class(at * (1 - 1e-15))), 4);
}

Spec spec_of(Statistic statistic, double epsilon) {
  Spec spec;
  spec.statistic = statistic;
  spec.epsilon = epsilon;
  return spec;
}

mpq_class known(const Spec& spec, Neighbours neighbours, double doubt = 0.05) {
  const auto margin = margin_of(spec, {&spec.epsilon, 1}, neighbours, mpq_class(doubt));
  EXPECT_TRUE(margin.has_value());
  return margin.value_or(-1);
}

TEST(Margin, OfCounts) {
  for (const Statistic statistic :
       {Statistic::kCount, Statistic::kCountRange, Statistic::kDistinct}) {
    for (const double epsilon : {0.1, 0.5, 1.0}) {
      EXPECT_EQ(known(spec_of(statistic, epsilon), Neighbours::kSubstitute).get_d(),
                noise_error(epsilon, {1, 0.95, 1}));
    }
  }
  EXPECT_EQ(known(spec_of(Statistic::kTruncatedRange, 0.1), Neighbours::kSubstitute), 1);
  EXPECT_EQ(known(spec_of(Statistic::kTruncatedRange, 20), Neighbours::kSubstitute), 0);
}

TEST(Margin, OfSums) {
  Spec spec = spec_of(Statistic::kPrivateSum, 0.5);
  spec.grid = {ValueType::kInt32};
  spec.lower = widen(Key64{-10});
  spec.upper = widen(Key64{30});
  EXPECT_EQ(known(spec, Neighbours::kSubstitute).get_d(), noise_error(0.5, {40, 0.95, 1}));
  EXPECT_EQ(known(spec, Neighbours::kAddRemove).get_d(), noise_error(0.5, {30, 0.95, 1}));
  spec.lower = spec.upper = widen(Key64{0});
  EXPECT_EQ(known(spec, Neighbours::kAddRemove), 0);
}

TEST(Margin, OfNothingElse) {
  for (int i = 1; i < kStatistics; ++i) {
    const auto s = static_cast<Statistic>(i);
    const bool is_known = s == Statistic::kCount || s == Statistic::kCountRange ||
                          s == Statistic::kTruncatedRange || s == Statistic::kDistinct ||
                          s == Statistic::kPrivateSum;
    if (is_known) continue;
    const Spec spec = spec_of(s, 1);
    EXPECT_FALSE(margin_of(spec, {&spec.epsilon, 1}, Neighbours::kAddRemove, mpq_class(1, 20)));
  }
}

// 20 000 draws miss a margin of 95 % at most 1205 times, but with a probability below 1e-9
// (Chernoff), and half of it more often.
TEST(Margin, CoversNoiseAsItIsDrawn) {
  constexpr int kDraws = 20000 / kThin;
  // one in twenty is missed; more than this by chance once in 1e11
  const double most = 0.05 * kDraws + 6.65 * std::sqrt(0.05 * 0.95 * kDraws);
  SeededBits bits(5);
  for (const double epsilon : {0.1, 1.0, 2.0}) {
    const Frozen frozen = freeze_noisy({0}, {mpq_class(3)});
    const mpz_class t = noise_quantile(Rate::of(epsilon, 3), mpq_class(1, 20));
    int missed = 0, missed_by_less = 0;
    for (int i = 0; i < kDraws; ++i) {
      const mpz_class noise = abs(draw_noise(frozen, {&epsilon, 1}, bits, nullptr).front());
      missed += noise > t;
      missed_by_less += noise > t / 2;
    }
    EXPECT_LE(missed, most);
    EXPECT_GT(missed_by_less, most);
  }
}

TEST(Margin, AsADoubleIsNotLess) {
  EXPECT_EQ(double_above(mpq_class(3)), 3);
  EXPECT_EQ(double_above(mpq_class(1, 4)), 0.25);
  EXPECT_GE(mpq_class(double_above(mpq_class(1, 10))), mpq_class(1, 10));
  EXPECT_GE(mpq_class(double_above(mpq_class(1, 3))), mpq_class(1, 3));
}

}  // namespace
}  // namespace idp::test
