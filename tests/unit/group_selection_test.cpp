// Which groups are shown: the closed form against the recursion, the definition of (epsilon,
// delta)-DP for all neighbours, and that no more could be kept.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "core/mechanism/group_selection.h"
#include "tests/support/bits.h"
#include "tests/support/layers.h"
#include "tests/support/mass.h"

namespace idp::test {
namespace {

struct Case {
  double epsilon, delta;
};

const std::vector<Case> kCases{{1, 1e-9},  {1, 1e-5},   {0.1, 1e-6}, {0.5, 0.01},  {2, 1e-12},
                               {5, 1e-3},  {0.01, 0.1}, {1, 0.5},    {0.3, 0.9},   {3, 0.25},
                               {40, 1e-9}, {1e-3, 0.4}, {800, 1e-5}, {0.25, 1e-15}};

Mass least(const Mass& a, const Mass& b) {
  return Mass::between(a.low() < b.low() ? a : b, a.high() < b.high() ? a : b);
}

// pi(0), pi(1), ... by the recursion.
std::vector<Mass> recursion(const Case& c, std::int64_t count) {
  const Mass y = Mass::exp_minus(mpq_class(c.epsilon)), delta{mpq_class(c.delta)};
  std::vector<Mass> pi{Mass(0)};
  for (std::int64_t n = 1; n <= count; ++n) {
    // x pi + delta <= 1 - y (1 - pi - delta) is compared after both are multiplied by y
    const Mass& before = pi.back();
    const Mass second = 1 - y * (1 - before - delta);
    Mass next = least(second, Mass(1));
    if (n == 1) next = delta;
    if (n > 1 && y.low() > 0) next = least(before / y + delta, next);
    pi.push_back(next);
  }
  return pi;
}

Mass closed(const GroupSelection& selection, std::int64_t count) {
  constexpr unsigned long kPrecision = 2 * Mass::kPlaces;
  const Enclosure e = selection.probability(count, kPrecision);
  const mpz_class one = mpz_class(1) << kPrecision;
  return Mass::between(Mass(ratio(e.low, one)), Mass(ratio(e.high, one)));
}

TEST(GroupSelection, TheClosedFormIsTheRecursion) {
  for (const Case& c : kCases) {
    const GroupSelection selection(c.epsilon, c.delta);
    const auto pi = recursion(c, 300);
    for (std::int64_t n = 0; n <= 300; ++n) {
      const Mass is = closed(selection, n), should = pi[static_cast<std::size_t>(n)];
      ASSERT_TRUE(is.meets(should))
          << c.epsilon << ", " << c.delta << ", " << n << ": " << is << " instead of " << should;
      ASSERT_LT(is.high() - is.low(), two_to_minus(100));
    }
  }
}

TEST(GroupSelection, NumbersOfThePaper) {
  const GroupSelection selection(1, 1e-9);
  EXPECT_NEAR(closed(selection, 1).low().get_d(), 1e-9, 1e-20);
  EXPECT_NEAR(closed(selection, 20).low().get_d(), 0.2823, 0.0001);
  EXPECT_NEAR(closed(selection, 25).low().get_d(), 0.9952, 0.0001);
  EXPECT_EQ(closed(selection, 100).low(), 1);
}

// Whether pi(n) and pi(n + 1) are as near as the definition asks. slack is what enclosures leave.
bool is_private(const Mass& p, const Mass& q, const Case& c) {
  const Mass y = Mass::exp_minus(mpq_class(c.epsilon)), delta{mpq_class(c.delta)};
  const Mass slack{two_to_minus(200)};
  const auto holds = [&](const Mass& a, const Mass& b) {  // a <= x b + delta, times y
    return !(y * delta + b + slack).surely_below(y * a);
  };
  return holds(p, q) && holds(q, p) && holds(1 - p, 1 - q) && holds(1 - q, 1 - p);
}

TEST(GroupSelection, IsPrivateForAllNeighboursAndKeepsAllItCan) {
  for (const Case& c : kCases) {
    const GroupSelection selection(c.epsilon, c.delta);
    for (std::int64_t n = 0; n <= 300; ++n) {
      const Mass p = closed(selection, n), q = closed(selection, n + 1);
      ASSERT_TRUE(is_private(p, q, c)) << c.epsilon << ", " << c.delta << ", " << n;
      // a little more would be too much, where there is room for more
      const Mass more = q + Mass(mpq_class(c.delta) * two_to_minus(60));
      if (more.high() < 1 && c.epsilon < 100) {
        ASSERT_FALSE(is_private(p, more, c)) << c.epsilon << ", " << c.delta << ", " << n;
      }
    }
  }
}

TEST(GroupSelection, LargeGroupsAndExtremesTakeNoTime) {
  SeededBits bits(1);
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  for (const Case& c : {Case{1e-18, 1e-12}, Case{1e-18, 0.5}, Case{1e300, 1e-300}, Case{1, 1e-300},
                        Case{1e-18, 1e-300}}) {
    const GroupSelection selection(c.epsilon, c.delta);
    EXPECT_FALSE(selection.keep(0, bits));
    EXPECT_FALSE(selection.keep(-5, bits));
    (void)selection.keep(1, bits);
    (void)selection.keep(1000, bits);
    const bool kept = selection.keep(kMost, bits);
    EXPECT_TRUE(kept || c.epsilon < 1);
  }
  EXPECT_TRUE(GroupSelection(1e-18, 0.5).keep(kMost, bits));
}

TEST(GroupSelection, RefusesWhatIsNoDelta) {
  EXPECT_THROW(GroupSelection(1, 0), std::invalid_argument);
  EXPECT_THROW(GroupSelection(1, 1), std::invalid_argument);
  EXPECT_THROW(GroupSelection(0, 0.1), std::invalid_argument);
}

}  // namespace
}  // namespace idp::test
