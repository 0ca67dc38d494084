// How well answers tell two data sets apart, against the probabilities of the mechanisms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/aggregate/loss.h"

namespace idp::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Spec spec_of(Statistic statistic, double epsilon) {
  Spec spec;
  spec.statistic = statistic;
  spec.epsilon = epsilon;
  return spec;
}

PairLoss loss(Statistic statistic, double epsilon, const Frozen& a, const Frozen& b) {
  const Spec spec = spec_of(statistic, epsilon);
  return loss_between(spec, std::span(&epsilon, 1), a, b);
}

TEST(LossOfNoise, AddsUpTheChangesInSensitivities) {
  const Frozen a = freeze_noisy({10, -4}, {mpq_class(5), mpq_class(1, 2)});
  const Frozen b = freeze_noisy({13, -5}, {mpq_class(5), mpq_class(1, 2)});
  const PairLoss found = loss(Statistic::kPrivateAverage, 0.5, a, b);
  EXPECT_DOUBLE_EQ(found.moved, 3.0 / 5 + 2);
  EXPECT_DOUBLE_EQ(found.loss, 0.5 * found.moved);
  EXPECT_EQ(loss(Statistic::kPrivateAverage, 0.5, a, a).loss, 0);
}

TEST(LossOfNoise, IsInfiniteWhereNothingHidesAChange) {
  const Frozen a = freeze_noisy({10}, {mpq_class(5)});
  const Frozen other_noise = freeze_noisy({10}, {mpq_class(6)});
  const Frozen exact = freeze_noisy({10}, {mpq_class(0)});
  const Frozen moved = freeze_noisy({11}, {mpq_class(0)});
  EXPECT_EQ(loss(Statistic::kPrivateSum, 1, a, other_noise).loss, kInfinity);
  EXPECT_EQ(loss(Statistic::kSum, 1, a, other_noise).loss, 0);  // the noise is that of the first
  EXPECT_EQ(loss(Statistic::kSum, 1, exact, exact).loss, 0);
  EXPECT_EQ(loss(Statistic::kSum, 1, exact, moved).loss, kInfinity);
  EXPECT_EQ(loss(Statistic::kPrivateSum, 1, a, {}).loss, kInfinity);
  EXPECT_EQ(loss(Statistic::kMedian, 1, a, {}).loss, 0);
  Frozen high, low;
  high.kind = low.kind = Frozen::Kind::kInfinite;
  high.infinity = 1;
  low.infinity = -1;
  EXPECT_EQ(loss(Statistic::kMax, 1, high, high).loss, 0);
  EXPECT_EQ(loss(Statistic::kMax, 1, high, low).loss, kInfinity);
}

TEST(LossOfNoise, ComparesFloatsOnTheGridOfTheFirst) {
  Frozen a = freeze_noisy({100}, {mpq_class(10)});
  Frozen b = freeze_noisy({1000}, {mpq_class(0)});  // exact: drops no bits
  a.dropped = 3;
  EXPECT_DOUBLE_EQ(loss(Statistic::kMedian, 1, a, b).moved, 2.5);  // 125 on that grid
  a.dropped = -2;
  EXPECT_DOUBLE_EQ(loss(Statistic::kMedian, 1, a, b).moved, 390);
  a.dropped = 3;
  b = freeze_noisy({24}, {mpq_class(10)});
  b.dropped = 5;
  EXPECT_DOUBLE_EQ(loss(Statistic::kMedian, 1, a, b).moved, 0.1);  // 96 to 99
  b.values = {25};
  EXPECT_EQ(loss(Statistic::kMedian, 1, a, b).moved, 0);  // 100 to 103
}

std::int64_t distance(const std::vector<Key128>& keys, std::int64_t rank, std::int64_t y) {
  if (keys.empty()) return 0;
  std::int64_t below = 0, at_most = 0;
  for (const Key128& key : keys) {
    below += int128(key) < y;
    at_most += int128(key) <= y;
  }
  return std::max({std::int64_t{0}, below - rank + 1, rank - at_most});
}

// Every answer of the exponential mechanism: values, what lies between and beside them, and the
// bounds, which values may have too.
TEST(LossOfRanks, IsTheGreatestChangeOfADistance) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 5000; ++i) {
    const auto draw = [&] {
      std::vector<Key128> keys(random() % 7);
      for (Key128& key : keys) key = key128(static_cast<Int128>(random() % 9));
      std::sort(keys.begin(), keys.end());
      return keys;
    };
    const std::vector<Key128> a = draw(), b = draw();
    const auto rank = [&](const auto& keys) {
      return static_cast<std::int64_t>(keys.empty() ? 1 : 1 + random() % keys.size());
    };
    const std::int64_t rank_a = rank(a), rank_b = rank(b);
    // every second time the bounds are those of the values themselves
    const std::int64_t lower = i % 2 ? 0 : static_cast<std::int64_t>(random() % 4) - 3;
    const std::int64_t upper = i % 2 ? 8 : 8 + static_cast<std::int64_t>(random() % 4);
    Spec spec = spec_of(Statistic::kPrivateMedian, 0.25);
    spec.lower = key128(lower);
    spec.upper = key128(upper);
    std::int64_t most = 0;
    for (std::int64_t y = lower; y <= upper; ++y) {
      most = std::max(most, std::abs(distance(a, rank_a, y) - distance(b, rank_b, y)));
    }
    const PairLoss found = loss_between(spec, {a, rank_a}, {b, rank_b});
    ASSERT_EQ(found.moved, static_cast<double>(most));
    ASSERT_EQ(found.loss, 0.25 * static_cast<double>(most));
  }
}

TEST(LossOfDecisions, NeedsDeltaAndNoMore) {
  for (const double delta : {1e-12, 1e-3}) {
    for (std::int64_t rows = 1; rows < 60; ++rows) {
      const PairLoss found = loss_between(0.5, delta, rows, rows - 1);
      ASSERT_EQ(found.loss, 0.5);
      ASSERT_LE(found.delta, delta);
      // met with equality until groups are nearly certain to be shown
      if (rows < 3) {
        ASSERT_GT(found.delta, delta * (1 - 1e-9));
      }
      ASSERT_EQ(loss_between(0.5, delta, rows - 1, rows).delta, found.delta);
    }
    const double three = loss_between(0.5, delta, 3, 0).delta;
    ASSERT_GT(three, delta);
    ASSERT_LE(three, delta * (1 + std::exp(0.5) + std::exp(1.0)));
    ASSERT_EQ(loss_between(0.5, delta, 7, 7).loss, 0);
  }
}

}  // namespace
}  // namespace idp::test
