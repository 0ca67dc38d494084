// Heavy-tailed noise on replayed words: which decisions they lead to, and enclosures of one number
// at growing precision. The closed forms of its law, which the statistical tests rely on.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/random/heavy_tail.h"
#include "tests/support/bits.h"
#include "tests/support/smooth_law.h"

namespace idp::test {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::uint64_t kMax = ~std::uint64_t{0};

std::uint64_t at(double share) { return static_cast<std::uint64_t>(share * 0x1p64); }

// The branch: uniform_below(gamma) takes the leading bits of a word; 0 is the tail.
constexpr std::uint64_t kTail = 0;
constexpr std::uint64_t kBody = std::uint64_t{1} << 62;
constexpr std::uint64_t kPlus = 0, kMinus = std::uint64_t{1} << 63;

struct Drawn {
  bool negative;
  double magnitude;
};

Drawn draw(int gamma, Words words) {
  ReplayBits bits(std::move(words));
  HeavyTail z(gamma, bits);
  const Enclosure e = z.magnitude(64);
  EXPECT_LE(e.low, e.high);
  EXPECT_EQ(bits.finish(), 0u) << "words were left over";
  return {z.negative(), std::ldexp(e.low.get_d(), -64)};
}

std::uint64_t body(int gamma) { return gamma == 2 ? kMax : kBody; }

TEST(HeavyTail, Body) {
  for (const int gamma : {2, 3, 4}) {
    SCOPED_TRACE(gamma);
    const double chance = 1 / (1 + std::pow(0.75, gamma));
    const Drawn z = draw(gamma, {body(gamma), at(0.75), at(chance - 1e-9), kMinus});
    EXPECT_TRUE(z.negative);
    EXPECT_DOUBLE_EQ(z.magnitude, 0.75);
    // just above the chance it is rejected, and everything is drawn anew
    const Drawn again = draw(
        gamma, {body(gamma), at(0.75), at(chance + 1e-9), body(gamma), at(0.25), at(0.5), kPlus});
    EXPECT_FALSE(again.negative);
    EXPECT_DOUBLE_EQ(again.magnitude, 0.25);
  }
}

TEST(HeavyTail, Tail) {
  for (const int gamma : {2, 3, 4}) {
    SCOPED_TRACE(gamma);
    const double z = std::pow(0.01, -1.0 / (gamma - 1));
    const double chance = 1 / (1 + std::pow(z, -gamma));
    EXPECT_NEAR(draw(gamma, {kTail, at(0.01), at(chance - 1e-9), kPlus}).magnitude, z, 1e-12 * z);
    const Drawn again =
        draw(gamma, {kTail, at(0.01), at(chance + 1e-9), kTail, at(0.5), 0, kMinus});
    EXPECT_NEAR(again.magnitude, std::pow(0.5, -1.0 / (gamma - 1)), 1e-12);
    EXPECT_TRUE(again.negative);
  }
}

// V = 1 up to 64 bits, W = 1/2 up to 64 bits: the coin cannot be decided before the next word.
TEST(HeavyTail, AnUndecidedCoinTakesMoreBits) {
  for (const int gamma : {2, 3, 4}) {
    for (const std::uint64_t branch : {kTail, body(gamma)}) {
      SCOPED_TRACE(gamma);
      const std::uint64_t half = kMinus;
      // the next bits: of V, then of W. W is above 1/2 by 2^-64, so more than V is below 1: reject
      const Words rejected{branch, kMax, half, kMax, kMax};
      // W = 1/2 is kept, for V is below 1
      const Words kept{branch, kMax, half, 0, 0, kPlus};
      ReplayBits bits(kept);
      HeavyTail z(gamma, bits);
      EXPECT_EQ(bits.finish(), 0u);
      Words both = rejected;
      both.insert(both.end(), kept.begin(), kept.end());
      ReplayBits more(both);
      HeavyTail second(gamma, more);
      EXPECT_EQ(more.finish(), 0u);
    }
  }
}

// No bits but zeros so far: in the tail there is no upper end yet.
TEST(HeavyTail, ZerosAreRevealedUntilThereIsAnEnd) {
  for (const int gamma : {2, 3, 4}) {
    ReplayBits bits({kTail, 0, 0, kPlus, 0, 1});
    HeavyTail z(gamma, bits);
    const Enclosure e = z.magnitude(64);
    EXPECT_EQ(bits.finish(), 0u);
    const double most = std::pow(2.0, 192.0 / (gamma - 1));  // V in [1, 2) * 2^-192
    EXPECT_NEAR(std::ldexp(e.high.get_d(), -64), most, 1e-9 * most);
    EXPECT_LT(std::ldexp(e.low.get_d(), -64), most);
  }
}

TEST(HeavyTail, EnclosuresNestAndNarrow) {
  for (int i = 0; i < 3000; ++i) {
    SeededBits bits(static_cast<std::uint64_t>(i));
    HeavyTail z(2 + i % 3, bits);
    Enclosure wide = z.magnitude(64);
    for (unsigned long precision = 128; precision <= 2048; precision *= 2) {
      const Enclosure e = z.magnitude(precision);
      ASSERT_LT(e.low, e.high);
      // the same number: the two intervals meet
      ASSERT_LE(wide.low << (precision / 2), e.high);
      ASSERT_GE(wide.high << (precision / 2), e.low);
      // z = v^(-1/(gamma-1)) falls with a slope of at most z^gamma
      const double size =
          std::max(1.0, std::ldexp(mpz_class(e.high >> (precision - 64)).get_d(), -64));
      ASSERT_LE(mpz_class(e.high - e.low).get_d(), 3 + 2 * std::pow(size, 2 + i % 3));
      wide = e;
    }
  }
}

TEST(HeavyTailLaw, ClosedFormsAreTheIntegrals) {
  for (const int gamma : {2, 3, 4}) {
    const auto h = [gamma](Real u) { return 1 / (1 + std::pow(u, static_cast<Real>(gamma))); };
    Real sum = 0;
    const Real step = 0.0005L;
    for (int i = 0; i < 20000; ++i) {  // Simpson's rule
      const Real a = static_cast<Real>(i) * step;
      sum += step / 6 * (h(a) + 4 * h(a + step / 2) + h(a + step));
      if (i % 500 == 499) {
        ASSERT_NEAR(heavy_integral(gamma, a + step), sum, 1e-13L);
        ASSERT_NEAR(heavy_tail(gamma, a + step), (1 - sum / heavy_total(gamma)) / 2, 1e-13L);
      }
    }
    EXPECT_NEAR(heavy_integral(gamma, 1e12L), heavy_total(gamma), 2e-12L);
    EXPECT_NEAR(heavy_tail(gamma, 0), 0.5L, 1e-18L);
  }
}

}  // namespace
}  // namespace idp::test
