// The releases as a user sees them: counts against the paper's Table 2, float answers against the
// Laplace law of Table 1, and the privacy promise itself.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/statistical/checks.h"
#include "tests/support/bits.h"
#include "tests/support/brute_force.h"
#include "tests/support/data.h"
#include "tests/support/release.h"

namespace idp::test {
namespace {

// Expected absolute errors of the range count, first version of the paper, Table 2, rounded to the
// digits given. (The printed table cuts instead of rounding in four places: it has 0.66, 0.53, 0.23
// for the truncated and 0.27 for the plain count.)
struct Table2Row {
  double epsilon, truncated, plain, rounding;
};
const Table2Row kTable2[] = {
    {0.1, 0.95, 9.98, 0.005},  {0.6931471805599453, 0.67, 1.33, 0.005},
    {1, 0.54, 0.85, 0.005},    {2, 0.24, 0.28, 0.005},
    {5, 0.013, 0.013, 0.0005},
};

TEST(Count, Table2) {
  for (const auto& [epsilon, truncated, plain, rounding] : kTable2) {
    SCOPED_TRACE(epsilon);
    const double alpha = std::exp(-epsilon);
    EXPECT_NEAR(2 * alpha / (1 + alpha), truncated, rounding);
    EXPECT_NEAR(2 * alpha / (1 - alpha * alpha), plain, rounding);
    // The truncated error is 0 or 1, so its law of three values says all about its mean.
    const Verdict three = check_truncated_count(release_truncated_count, epsilon);
    EXPECT_FALSE(three.rejected) << three.why;
    const Verdict mean = check_count_error(release_count, epsilon);
    EXPECT_FALSE(mean.rejected) << mean.why;
  }
}

// The mean error itself, as a number next to the table's.
TEST(Count, TruncatedMeanError) {
  OsBits bits;
  for (const auto& row : kTable2) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < kFewDraws; ++i) {
      sum += std::abs(release_truncated_count(7, row.epsilon, bits) - 7);
    }
    const long double alpha = std::exp(-static_cast<long double>(row.epsilon));
    const Verdict verdict = judge_successes(sum, kFewDraws, 2 * alpha / (1 + alpha));
    EXPECT_FALSE(verdict.rejected) << row.epsilon << ": " << verdict.why;
    EXPECT_NEAR(static_cast<double>(sum) / static_cast<double>(kFewDraws), row.truncated,
                row.rounding + dkw_bound(kFewDraws));
  }
}

const Grid kFloat32Grid{ValueType::kFloat32};

TEST(FloatRelease, IsLaplaceInTheLimit) {
  const double cases[][2] = {{1, 1},      {1, 0.1},    {1000, 0.5},  {0.001, 3},
                             {1e-310, 1}, {1e300, 10}, {1, 0x1p-30}, {3, 100}};
  for (const auto& [sensitivity, epsilon] : cases) {
    const Verdict verdict =
        check_float_release(release_one<Key64>, kFloat64Grid, sensitivity, epsilon);
    EXPECT_FALSE(verdict.rejected) << sensitivity << ", " << epsilon << ": " << verdict.why;
  }
  const Verdict verdict = check_float_release(release_one<Key64>, kFloat32Grid, 1, 0.5);
  EXPECT_FALSE(verdict.rejected) << verdict.why;
}

// Table 1: with LS = epsilon = 1 the answer lies within 3 of the true one with probability 95 %
// (log 20 = 2.9957).
TEST(FloatRelease, Table1Interval) {
  std::vector<double> noise;
  EXPECT_FALSE(check_float_release(release_one<Key64>, kFloat64Grid, 1, 1, &noise).rejected);
  for (double& x : noise) x = std::abs(x);
  std::sort(noise.begin(), noise.end());
  const double quantile = noise[noise.size() * 95 / 100];
  // |noise| has the distribution function 1 - exp(-x), so its sample quantile lies between the true
  // quantiles of 95 % -+ the DKW bound: [2.84, 3.18] for 200000 draws
  const double bound = dkw_bound(static_cast<std::int64_t>(noise.size()));
  EXPECT_GT(quantile, -std::log(0.05 + bound));
  EXPECT_LT(quantile, -std::log(0.05 - bound));
  EXPECT_NEAR(std::log(20), 3, 0.005);
  std::int64_t inside = 0;
  for (const double x : noise) inside += x <= 2.995732273553991;
  const Verdict verdict = judge_successes(inside, static_cast<std::int64_t>(noise.size()), 0.95L);
  EXPECT_FALSE(verdict.rejected) << verdict.why;
}

// The privacy promise. The actual data go through the whole release; the worst neighbour, found by
// brute force, gets the noise calibrated on the actual data.
TEST(TwoWorlds, TheMedianKeepsItsPromise) {
  struct {
    Data data;
    double epsilon;
  } const cases[] = {
      {{0, 0, 3, 5, 9}, 1}, {{0, 0, 3, 5, 9}, 0.5}, {{1, 1, 2, 8}, 0.7}, {{-4, 0, 1, 2, 2, 7}, 2}};
  for (const auto& [data, epsilon] : cases) {
    const auto around = neighbourhood_of<Key64>(median(), data);
    ASSERT_TRUE(around);
    const std::int64_t at = around->at;
    ASSERT_EQ(at, *brute_statistic(median(), data));
    std::int64_t worst = at;
    for_each_neighbour(data, 10, [&](const Data& neighbour) {
      const std::int64_t there = *brute_statistic(median(), neighbour);
      if (std::abs(there - at) > std::abs(worst - at)) worst = there;
    });
    const Rate rate = Rate::of(epsilon, mpz_class(static_cast<long>(std::abs(worst - at))));
    const double e = epsilon;
    const Worlds worlds{
        [&](BitSource& bits) { return *release_one(kInt64Grid, *around, e, bits); },
        [&](BitSource& bits) { return worst + discrete_laplace(rate, bits).get_si(); }};
    const Verdict verdict = check_two_worlds(worlds, at, 60, epsilon);
    EXPECT_FALSE(verdict.rejected) << verdict.why;
    // and the promise is used up: half of epsilon would not do
    EXPECT_TRUE(check_two_worlds(worlds, at, 60, epsilon / 2, kDraws / 2).rejected);
  }
}

}  // namespace
}  // namespace idp::test
