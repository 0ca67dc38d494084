// The periods of budgets, and what a release costs that is refined in a later one.
#include "core/accounting/period.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/accounting/composition.h"

namespace idp::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;
using std::chrono::sys_days;

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;

constexpr Instant at(int year, unsigned month, unsigned day, microseconds time = microseconds{0}) {
  return sys_days{std::chrono::year{year} / static_cast<int>(month) / static_cast<int>(day)} + time;
}

struct Case {
  const char* name;
  Period period;
  Instant instant, start, end;
};

const Case kCases[] = {
    {"month", {1, 0}, at(2026, 11, 22, 10h), at(2026, 11, 1), at(2026, 12, 1)},
    {"first of a month", {1, 0}, at(2026, 12, 1), at(2026, 12, 1), at(2027, 1, 1)},
    {"last of a month", {1, 0}, at(2024, 3, 1) - 1us, at(2024, 2, 1), at(2024, 3, 1)},
    {"quarter", {3, 0}, at(2026, 11, 22), at(2026, 10, 1), at(2027, 1, 1)},
    {"year", {12, 0}, at(2026, 11, 22), at(2026, 1, 1), at(2027, 1, 1)},
    {"five months", {5, 0}, at(2001, 12, 31), at(2001, 11, 1), at(2002, 4, 1)},
    {"month long ago", {1, 0}, at(1999, 12, 31, 23h), at(1999, 12, 1), at(2000, 1, 1)},
    {"year long ago", {12, 0}, at(1969, 7, 20), at(1969, 1, 1), at(1970, 1, 1)},
    {"week", {0, 7 * kDay}, at(2026, 11, 22), at(2026, 11, 16), at(2026, 11, 23)},  // Monday
    {"day", {0, kDay}, at(2026, 11, 22, 23h), at(2026, 11, 22), at(2026, 11, 23)},
    {"twelve hours", {0, kDay / 2}, at(2026, 11, 22, 13h), at(2026, 11, 22, 12h), at(2026, 11, 23)},
    {"day long ago", {0, kDay}, at(1999, 3, 1) - 1us, at(1999, 2, 28), at(1999, 3, 1)},
    {"second", {0, kSecond}, at(2026, 11, 22, 1500ms), at(2026, 11, 22, 1s), at(2026, 11, 22, 2s)},
};

TEST(Period, BeginsAndEndsWithTheCalendar) {
  for (const Case& c : kCases) {
    EXPECT_EQ(period_start(c.period, c.instant), c.start) << c.name;
    EXPECT_EQ(period_end(c.period, c.instant), c.end) << c.name;
  }
}

TEST(Period, FollowsTheOneBefore) {
  std::mt19937_64 random(1);
  for (const Period period :
       {Period{1, 0}, Period{7, 0}, Period{0, kSecond}, Period{0, 11 * kDay}}) {
    for (int i = 0; i < 10'000; ++i) {
      const Instant instant{microseconds{static_cast<std::int64_t>(random() % (200 * 366 * kDay)) -
                                         100 * 366 * kDay}};
      const Instant start = period_start(period, instant), end = period_end(period, instant);
      ASSERT_LE(start, instant);
      ASSERT_LT(instant, end);
      ASSERT_EQ(period_start(period, end), end);
      ASSERT_EQ(period_end(period, start - 1us), start);
      ASSERT_EQ(period_start(period, end - 1us), start);
    }
  }
}

// The law of discrete Laplace noise, and that of a coarser level less the finer one
// (core/gradual/process.h: tighten).
double noise(double q, int i) { return (1 - q) / (1 + q) * std::pow(q, std::abs(i)); }
double step(double q1, double q2, int i) {
  const double w = q2 * (1 - q1) * (1 - q1) / (q1 * (1 - q2) * (1 - q2));
  return (i == 0 ? w : 0) + (1 - w) * noise(q1, i);
}

// The finer answer given the coarser one, on data whose true value is 0 or 1.
double finer_given_coarser(double q1, double q2, int finer, int coarser, int truth) {
  return noise(q2, finer - truth) * step(q1, q2, coarser - finer) / noise(q1, coarser - truth);
}

TEST(Period, AReleaseRefinedInALaterOneLosesTheSumOfItsLevelsAndNoMore) {
  for (const double before : {0.1, 0.5, 1.0}) {
    for (const double level : {1.25, 2.0}) {
      const double q1 = std::exp(-before), q2 = std::exp(-level);
      double most = 0;
      for (int coarser = -12; coarser <= 12; ++coarser) {
        for (int finer = -12; finer <= 12; ++finer) {
          const double loss = std::log(finer_given_coarser(q1, q2, finer, coarser, 1) /
                                       finer_given_coarser(q1, q2, finer, coarser, 0));
          most = std::max(most, std::abs(loss));
        }
      }
      EXPECT_NEAR(most, before + level, 1e-9);  // more than the level alone
      Budget<PureEpsilon> budget(Neighbours::kAddRemove, PureEpsilon::of(8));
      EXPECT_TRUE(budget.refine_in_new_period(PureEpsilon::of(before), PureEpsilon::of(level)));
      EXPECT_EQ(budget.spent(), PureEpsilon::of(before) + PureEpsilon::of(level));
    }
  }
}

TEST(Period, ALevelThatIsNotFinerIsFree) {
  Budget<PureEpsilon> budget(Neighbours::kAddRemove, PureEpsilon::of(1));
  EXPECT_TRUE(budget.refine_in_new_period(PureEpsilon::of(2), PureEpsilon::of(2)));
  EXPECT_TRUE(budget.refine_in_new_period(PureEpsilon::of(2), PureEpsilon::of(0.5)));
  EXPECT_EQ(budget.spent(), 0);
  EXPECT_FALSE(budget.refine_in_new_period(PureEpsilon::of(0.5), PureEpsilon::of(0.75)));
}

}  // namespace
}  // namespace idp::test
