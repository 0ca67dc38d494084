// The nearest rank: what percentile_disc computes, and the step the sensitivity rests on.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/sensitivity/order_statistic.h"
#include "tests/support/data.h"

namespace idp::test {
namespace {

// Numbers that round awkwardly, and their neighbours among the doubles.
std::vector<double> fractions() {
  std::vector<double> some{0, 1, 0.5, 0.1, 0.9, 0.99, 1.0 / 3, 2.0 / 3, 0.7, 1e-300, 5e-324};
  const std::size_t plain = some.size();
  for (std::size_t i = 0; i < plain; ++i) {
    some.push_back(std::nextafter(some[i], 0));
    some.push_back(std::nextafter(some[i], 1));
  }
  return some;
}

TEST(NearestRank, KnownValues) {
  EXPECT_EQ(nearest_rank(0, 10), 1);
  EXPECT_EQ(nearest_rank(1, 10), 10);
  EXPECT_EQ(nearest_rank(0.1, 10), 1);  // although the double 0.1 is greater than one tenth
  EXPECT_EQ(nearest_rank(0.5, 4), 2);   // the lower median
  EXPECT_EQ(nearest_rank(0.5, 5), 3);
  EXPECT_EQ(nearest_rank(0.5, 1), 1);
  EXPECT_EQ(nearest_rank(std::nextafter(0.5, 1), 4), 3);
  EXPECT_EQ(nearest_rank(5e-324, 1000), 1);
}

TEST(NearestRank, IsTheCeilingOfTheProductClamped) {
  for (const double p : fractions()) {
    for (std::int64_t n = 1; n < 5000; ++n) {
      const double product = p * static_cast<double>(n);
      const std::int64_t rank = nearest_rank(p, n);
      ASSERT_GE(rank, 1);
      ASSERT_LE(rank, n);
      if (rank > 1) {
        ASSERT_LT(static_cast<double>(rank - 1), product);
      }
      ASSERT_GE(static_cast<double>(rank), product);
    }
  }
}

void expect_step(double p, std::int64_t n) {
  const std::int64_t step = nearest_rank(p, n + 1) - nearest_rank(p, n);
  ASSERT_TRUE(step == 0 || step == 1) << "p = " << p << ", n = " << n << ", step = " << step;
}

TEST(NearestRank, OneMoreRowMovesTheRankByAtMostOneUpwards) {
  for (const double p : fractions()) {
    for (std::int64_t n = 1; n <= 100000; ++n) expect_step(p, n);
  }
}

TEST(NearestRank, OneMoreRowMovesTheRankByAtMostOneUpwardsForManyRows) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (const int bits : {31, 40, 50, 51}) {
    for (int i = 0; i < 50000; ++i) {
      const std::int64_t n =
          (std::int64_t{1} << bits) + static_cast<std::int64_t>(random() % 2000) - 1000;
      // fractions whose product with n falls next to a whole number, and any others
      const auto rank = static_cast<double>(1 + random() % static_cast<std::uint64_t>(n));
      double p = i % 2 == 0 ? uniform(random) : std::min(1.0, rank / static_cast<double>(n));
      if (i % 3 == 1) p = std::nextafter(p, 0);
      if (i % 3 == 2) p = std::nextafter(p, 1);
      expect_step(p, n);
    }
    for (const double p : fractions()) expect_step(p, std::int64_t{1} << bits);
  }
}

TEST(RankOf, EachStatistic) {
  EXPECT_EQ(rank_of(median(), 0), 0);
  EXPECT_EQ(rank_of(median(), 4), 2);
  EXPECT_EQ(rank_of(quantile(0.25), 8), 2);
  EXPECT_EQ(rank_of(minimum<Key64>(0), 7), 1);
  EXPECT_EQ(rank_of(maximum<Key64>(0), 7), 7);
  EXPECT_EQ(rank_of(maximum<Key64>(0), 0), 0);
  EXPECT_EQ(rank_of(kth_smallest(3), 7), 3);
  EXPECT_EQ(rank_of(kth_largest(3), 7), 5);
  EXPECT_LT(rank_of(kth_largest(8), 7), 1);
}

}  // namespace
}  // namespace idp::test
