// How often groups are kept, as it is drawn, against the recursion.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/mechanism/group_selection.h"
#include "tests/statistical/checks.h"

namespace idp::test {
namespace {

long double kept(long double epsilon, long double delta, int count) {
  long double pi = 0;
  for (int n = 0; n < count; ++n) {
    pi = std::min({std::exp(epsilon) * pi + delta, 1 - std::exp(-epsilon) * (1 - pi - delta),
                   static_cast<long double>(1)});
  }
  return pi;
}

// A draw takes some twenty microseconds; so many tell probabilities apart that differ by 0.01.
const std::int64_t kDrawsOfGroups = kDraws / 4;

Verdict check_group(double epsilon, double delta, int count, int assumed) {
  const GroupSelection selection(epsilon, delta);
  return check_coin([&](BitSource& bits) { return selection.keep(count, bits); },
                    kept(epsilon, delta, assumed), kDrawsOfGroups);
}

TEST(GroupSelection, IsKeptAsOftenAsTheRecursionSays) {
  for (const auto& [epsilon, delta, count] : {std::tuple{1.0, 1e-9, 20},
                                              {1.0, 1e-9, 21},
                                              {1.0, 1e-9, 25},
                                              {0.1, 0.01, 12},
                                              {2.0, 0.3, 1}}) {
    const Verdict verdict = check_group(epsilon, delta, count, count);
    EXPECT_FALSE(verdict.rejected) << epsilon << ", " << count << ": " << verdict.why;
  }
}

TEST(GroupSelectionControl, OneRecordMoreIsNoticed) {
  EXPECT_TRUE(check_group(1, 1e-9, 20, 21).rejected);
  EXPECT_TRUE(check_group(0.1, 0.01, 12, 11).rejected);
}

}  // namespace
}  // namespace idp::test
