// The closed forms of core/gradual/process.h: identities, checked in rational arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/support/gradual_law.h"

namespace idp::test {
namespace {

using Q = mpq_class;

const std::vector<std::pair<Q, Q>>& ratios() {
  static const std::vector<std::pair<Q, Q>> all{
      {Q(3, 5), Q(1, 7)},     {Q(9, 10), Q(8, 9)}, {Q(99, 100), Q(1, 50)},
      {Q(1, 20), Q(1, 1000)}, {Q(1, 2), Q(1, 3)},  {Q(999, 1000), Q(998, 999)}};
  return all;
}

// Sums of q^|y| s^|x - y| and the like over all y are geometric; these are their rational values.
Q geometric_sum(const Q& ratio) { return 1 / (1 - ratio); }

TEST(GradualLaw, TightenIsTheQuotientOfTheCharacteristicFunctions) {
  for (const auto& [a, b] : ratios()) {
    const Step<Q> step = step_of(a, b);
    EXPECT_GT(step.lazy(), 0);
    EXPECT_LT(step.lazy(), 1);
    // DL(q) has the function (1 - q)^2/((1 - q z)(1 - q/z)); s = z + 1/z
    for (const Q& s : {Q(2), Q(-2), Q(0), Q(1, 3), Q(-7, 5)}) {
      const auto function = [&](const Q& q) -> Q {
        return (1 - q) * (1 - q) / (1 + q * q - q * s);
      };
      EXPECT_EQ(function(b) * (step.lazy() + (1 - step.lazy()) * function(a)), function(a));
    }
  }
}

// sum over y of DL(fine)(y) Pr[V_coarse = x | y] = DL(coarse)(x), in pieces
TEST(GradualLaw, TightenedNoiseIsDiscreteLaplace) {
  for (const auto& [a, b] : ratios()) {
    const Step<Q> step = step_of(a, b);
    for (const long x : {0l, 1l, 2l, 7l}) {
      Q inside;  // 0 <= y <= x
      for (long y = 0; y <= x; ++y) inside += power(b, y) * power(a, x - y);
      const Q outside = a * b * geometric_sum(a * b) * (power(a, x) + power(b, x));
      const Q moved = (1 - step.lazy()) * step.fine.laplace(0) * step.coarse.laplace(0);
      EXPECT_EQ(step.lazy() * step.fine.laplace(x) + moved * (inside + outside),
                step.coarse.laplace(x));
    }
  }
}

TEST(GradualLaw, RelaxIsTheConditionalOfTighten) {
  for (const auto& [a, b] : ratios()) {
    const Step<Q> step = step_of(a, b);
    EXPECT_EQ(step.stay_at_zero(), 1 - 2 * step.below());
    EXPECT_EQ(step.below(), b * (a - b) / (1 - b * b));
    for (long x = -12; x <= 12; ++x) {
      for (long y = -12; y <= 12; ++y) {
        EXPECT_EQ(step.fine.laplace(y) * step.tighten(x - y),
                  step.coarse.laplace(x) * step.relax(x, y))
            << a << ", " << b << ": " << x << ", " << y;
      }
    }
    for (const long x : {0l, 1l, 5l, 40l}) {  // the pieces sum to 1
      Q inside;
      for (long y = 0; y < x; ++y) inside += step.relax(x, y);
      EXPECT_EQ(inside, (1 - power(Q(b / a), x)) * (1 - step.below()));
      const Q outside = (step.relax(x, -1) + step.relax(x, x + 1)) * geometric_sum(a * b);
      EXPECT_EQ(inside + outside + step.relax(x, x), 1);
    }
  }
}

// Two steps down are one: the levels between do not matter, and the middle one is a law.
TEST(GradualLaw, BetweenIsALawWithGeometricPieces) {
  const std::vector<std::vector<Q>> levels{{Q(9, 10), Q(1, 2), Q(1, 7)},
                                           {Q(99, 100), Q(49, 50), Q(97, 100)},
                                           {Q(1, 2), Q(1, 3), Q(1, 1000)}};
  for (const auto& level : levels) {
    const auto law = between_of(level[0], level[1], level[2]);
    const Q a = level[0], q = level[1];
    for (const long x : {-4l, 0l, 1l, 2l, 9l}) {
      const long y = 0, low = std::min(x, y), high = std::max(x, y);
      Q total;
      for (long v = low; v <= high; ++v) total += law(x, y, v);
      total += (law(x, y, low - 1) + law(x, y, high + 1)) * geometric_sum(a * q);
      EXPECT_EQ(total, 1);
      for (long v = 1; v < 4; ++v) {
        EXPECT_EQ(law(x, y, high + v + 1), law(x, y, high + v) * a * q);
        EXPECT_EQ(law(x, y, low - v - 1), law(x, y, low - v) * a * q);
      }
      for (long v = 1; v + 1 < x; ++v) EXPECT_EQ(law(x, y, v + 1) * a, law(x, y, v) * q);
    }
  }
}

}  // namespace
}  // namespace idp::test
