// The rules of the parameters.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "core/aggregate/spec.h"
#include "tests/support/data.h"

namespace idp::test {
namespace {

using Double = std::numeric_limits<double>;

std::string broken(const Spec& spec) {
  const auto violation = find_violation(spec);
  return violation ? violation->argument : "";
}

Spec range(Statistic statistic, Key64 lower, Key64 upper, Grid grid = kInt64Grid) {
  Spec spec = spec_of(statistic, grid);
  spec.lower = widen(lower);
  spec.upper = widen(upper);
  return spec;
}

TEST(FindViolation, Epsilon) {
  for (const double epsilon :
       {0.0, -0.0, -1.0, -1e-300, Double::infinity(), -Double::infinity(), Double::quiet_NaN()}) {
    Spec spec = median();
    spec.epsilon = epsilon;
    EXPECT_EQ(broken(spec), "epsilon");
    EXPECT_FALSE(find_violation(spec)->out_of_range);
    EXPECT_TRUE(find_violation_of_stored(spec, {&epsilon, 1}));
  }
  for (const double epsilon : {kLeastEpsilon, 1.0, Double::max()}) {
    Spec spec = median();
    spec.epsilon = epsilon;
    EXPECT_EQ(broken(spec), "");
  }
}

// What an earlier version stored with a smaller one stays readable.
TEST(FindViolation, LeastEpsilon) {
  EXPECT_EQ(kLeastEpsilon, 1e-18);  // as the message says
  for (const double epsilon : {5e-324, 1e-300, std::nextafter(kLeastEpsilon, 0)}) {
    Spec spec = median();
    spec.epsilon = epsilon;
    EXPECT_STREQ(find_violation(spec)->rule, "must be at least 1e-18");
    EXPECT_STREQ(find_violation(spec)->argument, "epsilon");
    EXPECT_FALSE(find_violation_of_stored(spec, {&epsilon, 1}));
    const double epsilons[] = {0.5, epsilon};
    EXPECT_STREQ(find_violation_of_epsilons(epsilons, true)->argument, "epsilons");
    EXPECT_STREQ(find_violation_of_epsilons(epsilons, true)->rule, "must be at least 1e-18");
  }
}

TEST(FindViolation, Fraction) {
  for (const double fraction : {-5e-324, -0.1, 1.0000000000000002, 2.0, Double::infinity(),
                                -Double::infinity(), Double::quiet_NaN()}) {
    EXPECT_EQ(broken(quantile(fraction)), "fraction");
    EXPECT_TRUE(find_violation(quantile(fraction))->out_of_range);
  }
  Spec trimmed = spec_of(Statistic::kTrimmedAverage);
  for (const double fraction : {-5e-324, 0.5, 1.0, Double::infinity(), Double::quiet_NaN()}) {
    trimmed.fraction = fraction;
    EXPECT_EQ(broken(trimmed), "fraction");
    EXPECT_TRUE(find_violation(trimmed)->out_of_range);
  }
  for (const double fraction : {0.0, -0.0, 5e-324, 0.49999999999999994}) {
    trimmed.fraction = fraction;
    EXPECT_EQ(broken(trimmed), "");
  }
  for (const double fraction : {0.0, -0.0, 5e-324, 0.5, 1.0}) {
    EXPECT_EQ(broken(quantile(fraction)), "");
  }
}

TEST(FindViolation, K) {
  for (const std::int64_t k : {std::int64_t{0}, std::int64_t{-1}, KeyLimits<Key64>::kMin}) {
    EXPECT_EQ(broken(kth_smallest(k)), "k");
    EXPECT_EQ(broken(kth_largest(k)), "k");
  }
  EXPECT_EQ(broken(kth_smallest(1)), "");
  EXPECT_EQ(broken(kth_largest(kMaxK)), "");
  EXPECT_EQ(broken(kth_largest(kMaxK + 1)), "k");
}

TEST(FindViolation, BoundsOfMinAndMaxAreFinite) {
  for (const Grid& grid : {Grid{ValueType::kFloat64}, Grid{ValueType::kDate},
                           Grid{ValueType::kTimestamp}, Grid::numeric(9, 2)}) {
    for (const int sign : {-1, 1}) {
      EXPECT_EQ(broken(minimum(grid.infinity<Key64>(sign), grid)), "lower");
      EXPECT_EQ(broken(maximum(grid.infinity<Key64>(sign), grid)), "upper");
    }
    EXPECT_EQ(broken(minimum(Key64{5}, grid)), "");
    EXPECT_EQ(broken(maximum(Key64{5}, grid)), "");
  }
  const Grid wide = Grid::plain_numeric();
  EXPECT_EQ(broken(minimum(wide.infinity<Key128>(-1), wide)), "lower");
  EXPECT_EQ(broken(maximum(wide.infinity<Key128>(1), wide)), "upper");
  EXPECT_EQ(broken(minimum(Key128{-1, 3}, wide)), "");
  // integers have no infinity: their outermost values are values
  EXPECT_EQ(broken(minimum(KeyLimits<Key64>::kMin)), "");
  EXPECT_EQ(broken(maximum(KeyLimits<Key64>::kMax)), "");
}

TEST(FindViolation, CrossedBounds) {
  for (const Statistic statistic : {Statistic::kTruncatedRange, Statistic::kCountRange}) {
    EXPECT_EQ(broken(range(statistic, 1, 0)), "lower");
    EXPECT_EQ(broken(range(statistic, -1, -2)), "lower");
    EXPECT_EQ(broken(range(statistic, 1, -1)), "lower");
    EXPECT_EQ(broken(range(statistic, -1, 1)), "");
    EXPECT_EQ(broken(range(statistic, 3, 3)), "");
    const Grid grid{ValueType::kDate};
    EXPECT_EQ(broken(range(statistic, grid.infinity<Key64>(-1), grid.infinity<Key64>(1), grid)),
              "");
    EXPECT_EQ(broken(range(statistic, grid.infinity<Key64>(1), grid.infinity<Key64>(-1), grid)),
              "lower");
  }
}

TEST(FindViolation, ParametersTheStatisticDoesNotHaveAreNotLookedAt) {
  Spec spec = spec_of(Statistic::kCount);
  spec.fraction = 7;
  spec.k = -3;
  spec.lower = widen(Key64{1});
  spec.upper = widen(Key64{0});
  EXPECT_EQ(broken(spec), "");
}

TEST(Spec, WhatEachStatisticHas) {
  const auto has = [](Statistic statistic) {
    const Spec spec = spec_of(statistic);
    std::string text;
    if (spec.has(Parameter::kEpsilon)) text += 'e';
    if (spec.has(Parameter::kFraction)) text += 'f';
    if (spec.has(Parameter::kK)) text += 'k';
    if (spec.has(Parameter::kLower)) text += 'l';
    if (spec.has(Parameter::kUpper)) text += 'u';
    if (spec.has(Parameter::kBuckets)) text += 'b';
    if (spec.has(Parameter::kGamma)) text += 'g';
    if (spec.keeps_keys()) text += '+';
    return text;
  };
  EXPECT_EQ(has(Statistic::kNone), "");
  EXPECT_EQ(has(Statistic::kMedian), "e+");
  EXPECT_EQ(has(Statistic::kQuantile), "ef+");
  EXPECT_EQ(has(Statistic::kMin), "el+");
  EXPECT_EQ(has(Statistic::kMax), "eu+");
  EXPECT_EQ(has(Statistic::kKthSmallest), "ek+");
  EXPECT_EQ(has(Statistic::kKthLargest), "ek+");
  EXPECT_EQ(has(Statistic::kTruncatedRange), "elu");
  EXPECT_EQ(has(Statistic::kCount), "e");
  EXPECT_EQ(has(Statistic::kCountRange), "elu");
  EXPECT_EQ(has(Statistic::kPrivateMedian), "elu+");
  EXPECT_EQ(has(Statistic::kPrivateQuantile), "eflu+");
  EXPECT_EQ(has(Statistic::kSum), "elu");
  EXPECT_EQ(has(Statistic::kPrivateStddev), "elu");
  EXPECT_EQ(has(Statistic::kDistinct), "e+");
  EXPECT_EQ(has(Statistic::kHistogram), "elub");
  EXPECT_EQ(has(Statistic::kSmoothMedian), "elug+");
  EXPECT_EQ(has(Statistic::kSmoothQuantile), "eflug+");
  EXPECT_EQ(has(Statistic::kGlobalMax), "elu+");
}

TEST(Spec, BucketsAndGamma) {
  Spec spec = spec_of(Statistic::kHistogram);
  for (const std::int64_t buckets : {std::int64_t{0}, std::int64_t{-1}, kMaxBuckets + 1}) {
    spec.buckets = buckets;
    EXPECT_EQ(broken(spec), "buckets");
  }
  for (const std::int64_t buckets : {std::int64_t{1}, kMaxBuckets}) {
    spec.buckets = buckets;
    EXPECT_EQ(broken(spec), "");
  }
  spec = spec_of(Statistic::kSmoothMax);
  for (const int gamma : {0, 1, 5}) {
    spec.gamma = gamma;
    EXPECT_EQ(broken(spec), "gamma");
  }
  for (const int gamma : {2, 3, 4}) {
    spec.gamma = gamma;
    EXPECT_EQ(broken(spec), "");
  }
}

TEST(Spec, SeveralEpsilons) {
  const auto broken_by = [](Spec spec, std::initializer_list<double> epsilons) {
    spec.groups = static_cast<std::uint8_t>(epsilons.size());
    if (epsilons.size() > 0) spec.epsilon = *epsilons.begin();
    const auto violation = find_violation(spec, {epsilons.begin(), epsilons.size()});
    return violation.has_value();
  };
  EXPECT_FALSE(broken_by(median(), {0.5, 1, 2}));
  EXPECT_FALSE(broken_by(median(), {2, 1}));
  EXPECT_TRUE(broken_by(median(), {}));
  EXPECT_TRUE(broken_by(median(), {0.5, 0}));
  EXPECT_TRUE(broken_by(median(), {0.5, -1}));
  EXPECT_TRUE(broken_by(median(), {0.5, std::numeric_limits<double>::quiet_NaN()}));
  EXPECT_TRUE(broken_by(median(), {0.5, std::numeric_limits<double>::infinity()}));
  EXPECT_FALSE(broken_by(spec_of(Statistic::kSum), {0.5, 1}));
  EXPECT_FALSE(broken_by(spec_of(Statistic::kAverage), {0.5, 1}));
  for (const Statistic single : {Statistic::kVariance, Statistic::kCount, Statistic::kPrivateSum,
                                 Statistic::kPrivateMedian, Statistic::kTruncatedRange}) {
    EXPECT_TRUE(broken_by(spec_of(single), {0.5, 1}));
  }
  const std::vector<double> most(kMaxGroup, 1);
  Spec spec = median();
  spec.groups = kMaxGroup;
  EXPECT_FALSE(find_violation(spec, most));
  spec.groups = kMaxGroup + 1;
  EXPECT_TRUE(find_violation(spec, most));
}

}  // namespace
}  // namespace idp::test
