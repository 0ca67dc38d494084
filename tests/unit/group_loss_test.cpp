// How many rows a unit has, and what answers over them lose: against all ways to divide the rows.
#include <gtest/gtest.h>

#include <gmpxx.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/accounting/group_loss.h"
#include "core/accounting/unit.h"

namespace idp::test {
namespace {

TEST(Multiplicity, AddsAndMultipliesUpToItsBound) {
  const auto two = Multiplicity::of(2), three = Multiplicity::of(3);
  EXPECT_EQ((two + three).count(), 5);
  EXPECT_EQ((two * three).count(), 6);
  EXPECT_LT(two, three);
  const auto any = Multiplicity::unbounded();
  EXPECT_FALSE(any.is_bounded());
  EXPECT_EQ(two + any, any);
  EXPECT_EQ(any * any, any);
  EXPECT_EQ(std::min(any, two), two);
  const auto most = Multiplicity::of(Multiplicity::kMost);
  EXPECT_TRUE(most.is_bounded());
  EXPECT_EQ(most + Multiplicity::of(1), any);
  EXPECT_EQ(most * most, any);
  EXPECT_EQ(Multiplicity::of(std::int64_t{1} << 60), any);
}

// The greatest loss over all ways to divide up to m rows into parts, none larger than the others
// before it.
mpq_class greatest(const std::vector<double>& epsilons, int m, int largest) {
  mpq_class best = 0;
  for (int part = 1; part <= std::min(m, largest); ++part) {
    best = std::max<mpq_class>(best, mpq_class(epsilons[static_cast<std::size_t>(part) - 1]) +
                                         greatest(epsilons, m - part, part));
  }
  return best;
}

mpq_class loss_of(const std::vector<double>& epsilons, int m, bool grouped) {
  std::vector<std::int32_t> times(epsilons.size(), -1);
  costliest_division(epsilons, m, grouped, times);
  mpq_class loss = 0;
  int rows = 0;
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    loss += times[i] * mpq_class(epsilons[i]);
    rows += times[i] * static_cast<int>(i + 1);
  }
  EXPECT_LE(rows, m);
  return loss;
}

TEST(GroupLoss, IsThatOfTheCostliestDivision) {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> any(0.01, 3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> epsilons(1 + trial % 8);
    for (double& epsilon : epsilons) epsilon = any(random);
    if (trial % 2) std::ranges::sort(epsilons);
    for (int m = 1; m <= static_cast<int>(epsilons.size()); ++m) {
      EXPECT_EQ(loss_of(epsilons, m, true), greatest(epsilons, m, m));
      const auto largest = *std::max_element(epsilons.begin(), epsilons.begin() + m);
      EXPECT_EQ(loss_of(epsilons, m, false), mpq_class(largest));
    }
  }
}

TEST(GroupLoss, ConcaveAndConvexEpsilons) {
  // dividing concave ones costs more than leaving them together; convex ones cost most together
  EXPECT_EQ(loss_of({1, 1.5, 1.75}, 3, true), 3);
  EXPECT_EQ(loss_of({1, 1.5, 1.75}, 3, false), 1.75);
  EXPECT_EQ(loss_of({1, 2.5, 5}, 3, true), 5);
  EXPECT_EQ(loss_of({0.5}, 1, true), 0.5);
}

}  // namespace
}  // namespace idp::test
