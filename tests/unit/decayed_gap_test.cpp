// Exact comparison of gap * exp(-beta * distance): by doubles where they suffice, and where they
// cannot.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/sensitivity/decayed_gap.h"

namespace idp::test {
namespace {

TEST(DecayedGap, TrivialCases) {
  const Decay decay(Rate{1, 2});
  const DecayedGap none{0, 7}, one{1, 0}, two{2, 0}, far{1, 5};
  EXPECT_FALSE(decay.less(none, none));
  EXPECT_FALSE(decay.less(none, {0, 3}));
  EXPECT_TRUE(decay.less(none, far));
  EXPECT_FALSE(decay.less(far, none));
  EXPECT_TRUE(decay.less(one, two));
  EXPECT_FALSE(decay.less(two, one));
  EXPECT_FALSE(decay.less(one, one));
  EXPECT_TRUE(decay.less(far, one));
  EXPECT_FALSE(decay.less(one, far));
  EXPECT_TRUE(decay.less(one, {2, 1}));   // 2 exp(-1/2) = 1.21
  EXPECT_FALSE(decay.less(one, {2, 2}));  // 2 exp(-1) = 0.74
}

TEST(DecayedGap, AgreesWithLongDoubles) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const long numerator = 1 + static_cast<long>(random() % 1000);
    const long denominator = 1 + static_cast<long>(random() % 100000);
    const Decay decay(Rate{numerator, denominator});
    const auto gap = [&] { return static_cast<long>(random() >> (random() % 62 + 1)); };
    const auto distance = [&] {
      return static_cast<std::int64_t>(random() >> (44 + random() % 20));
    };
    const DecayedGap a{gap(), distance()}, b{gap(), distance()};
    const long double beta =
        static_cast<long double>(numerator) / static_cast<long double>(denominator);
    const auto log_of = [&](const DecayedGap& x) {
      return std::log(static_cast<long double>(x.gap.get_si())) -
             beta * static_cast<long double>(x.distance);
    };
    if (a.gap == 0 || b.gap == 0) continue;
    const long double difference = log_of(b) - log_of(a);
    if (std::abs(difference) < 1e-10L) continue;
    ASSERT_EQ(decay.less(a, b), difference > 0);
    ASSERT_EQ(decay.less(b, a), difference < 0);
  }
}

// The convergents p/q of e lie below and above it in turn, ever closer: q against p exp(-1). After
// the 15th no double tells them apart.
TEST(DecayedGap, ConvergentsOfE) {
  const Decay decay(Rate{1, 1});
  mpz_class p_before = 1, p = 2, q_before = 0, q = 1;
  for (int i = 1; i < 300; ++i) {
    const bool below = i % 2 == 1;  // p/q < e, so p exp(-1) < q
    EXPECT_EQ(decay.less({q, 3}, {p, 4}), !below) << i;
    EXPECT_EQ(decay.less({p, 4}, {q, 3}), below) << i;
    const long term = i % 3 == 2 ? 2 * (i / 3 + 1) : 1;
    const mpz_class p_next = term * p + p_before, q_next = term * q + q_before;
    p_before = p, p = p_next, q_before = q, q = q_next;
  }
  EXPECT_GT(mpz_sizeinbase(p.get_mpz_t(), 2), 600u);
}

TEST(DecayedGap, ExtremeRates) {
  const mpz_class large = mpz_class(1) << 120, huge = mpz_class(1) << 3000;
  for (const double epsilon : {5e-324, 1e-300, 1e-200}) {
    const Decay slow(Rate::of(epsilon, 4));
    EXPECT_TRUE(slow.less({large, 0}, {large + 1, 1 << 20}));
    EXPECT_FALSE(slow.less({large + 1, 1 << 20}, {large, 0}));
    EXPECT_TRUE(slow.less({large, 2}, {large, 1}));
    EXPECT_FALSE(slow.less({large, 1}, {large, 2}));
    EXPECT_TRUE(slow.less({huge, 0}, {2 * huge, 1}));
    EXPECT_FALSE(slow.less({huge, 0}, {huge + 1, 1}));  // gains 2^-3000, loses more
  }
  for (const double epsilon : {1e300, 1.7e308}) {
    const Decay fast(Rate::of(epsilon, 2));
    EXPECT_FALSE(fast.less({1, 0}, {huge, 1}));
    EXPECT_TRUE(fast.less({huge, 1 << 20}, {1, 0}));
    EXPECT_TRUE(fast.less({large, 3}, {1, 2}));
  }
}

}  // namespace
}  // namespace idp::test
