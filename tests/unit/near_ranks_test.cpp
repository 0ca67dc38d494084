// Answers do not change while the values at the ranks that are said to matter stay.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "core/aggregate/aggregate.h"
#include "core/aggregate/near_ranks.h"
#include "tests/support/bits.h"
#include "tests/support/data.h"
#include "tests/support/thin.h"

namespace idp::test {
namespace {

constexpr Key64 kMost = 1000;

struct Question {
  Spec spec;
  std::vector<double> epsilons;
};

Question question_of(Statistic statistic, const Grid& grid, std::mt19937_64& random) {
  const StatisticRow& row = row_of(statistic);
  Question question{spec_of(statistic, grid), {0.5}};
  Spec& spec = question.spec;
  spec.epsilon = 0.5;
  spec.fraction = row.fraction;
  if (row.has(Parameter::kFraction)) spec.fraction = static_cast<double>(random() % 1001) / 1000;
  if (row.has(Parameter::kK)) spec.k = 2 + static_cast<std::int64_t>(random() % 5);
  const auto bound = [&](Key64 key) {
    return grid.is_float() ? widen(ordered_bits(static_cast<double>(key))) : widen(key);
  };
  if (row.has(Parameter::kLower)) spec.lower = bound(-kMost / 4);
  if (row.has(Parameter::kUpper)) spec.upper = bound(kMost / 2);
  if (!row.groups) return question;
  spec.groups = static_cast<std::uint8_t>(1 + random() % 4);
  for (int i = 1; i < spec.groups; ++i) question.epsilons.push_back(0.5);
  return question;
}

Frozen freeze(const Question& question, const std::vector<Key64>& keys) {
  Aggregate aggregate(question.spec, question.epsilons);
  for (const Key64 key : keys) aggregate.add(key);
  SeededBits bits(7);
  return aggregate.freeze(bits);
}

Answer answer(const Question& question, const std::vector<Key64>& keys) {
  Aggregate aggregate(question.spec, question.epsilons);
  for (const Key64 key : keys) aggregate.add(key);
  SeededBits bits(7);
  return aggregate.answer(bits);
}

std::vector<Key64> some_keys(const Grid& grid, std::mt19937_64& random) {
  std::vector<Key64> keys(random() % 40);
  const Key64 width = 1 + static_cast<Key64>(random() % (2 * kMost));
  for (Key64& key : keys) {
    key = static_cast<Key64>(random() % static_cast<std::uint64_t>(width)) - kMost / 2;
    if (grid.is_float()) key = ordered_bits(static_cast<double>(key) / 8);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<bool> needed(const Question& question, std::size_t size) {
  std::vector<bool> needed(size, false);
  RankRange ranges[kMostRankRanges];
  const int count = near_ranks(question.spec, static_cast<std::int64_t>(size), ranges);
  for (int i = 0; i < count; ++i) {
    for (std::int64_t rank = ranges[i].first; rank <= ranges[i].last; ++rank) {
      needed.at(static_cast<std::size_t>(rank - 1)) = true;
    }
  }
  return needed;
}

// Values that no rank needs become the nearest needed one below, or above where there is none.
std::vector<Key64> moved(std::vector<Key64> keys, const std::vector<bool>& needed) {
  const auto first = std::find(needed.begin(), needed.end(), true) - needed.begin();
  if (static_cast<std::size_t>(first) == keys.size()) {
    std::fill(keys.begin(), keys.end(), 0);
    return keys;
  }
  Key64 last = keys[static_cast<std::size_t>(first)];
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (needed[i]) last = keys[i];
    keys[i] = last;
  }
  return keys;
}

TEST(NearRanks, OtherValuesDoNotMatter) {
  std::mt19937_64 random(22);
  int statistics = 0;
  for (int i = 1; i < kStatistics; ++i) {
    const auto statistic = static_cast<Statistic>(i);
    if (!is_near_ranks(statistic)) continue;
    ++statistics;
    for (int round = 0; round < 400 / kThin; ++round) {
      const Grid grid = round % 2 == 0 ? kInt64Grid : kFloat64Grid;
      const Question question = question_of(statistic, grid, random);
      const std::vector<Key64> keys = some_keys(grid, random);
      const std::vector<Key64> others = moved(keys, needed(question, keys.size()));
      ASSERT_EQ(freeze(question, keys), freeze(question, others)) << row_of(statistic).name;
      ASSERT_EQ(answer(question, keys), answer(question, others)) << row_of(statistic).name;
    }
  }
  EXPECT_EQ(statistics, 9);
}

// Each end of each range matters for some data.
TEST(NearRanks, TheseDo) {
  std::mt19937_64 random(23);
  for (int i = 1; i < kStatistics; ++i) {
    const auto statistic = static_cast<Statistic>(i);
    if (!is_near_ranks(statistic)) continue;
    bool first_matters = false;
    bool last_matters = false;
    for (int round = 0; round < 400 / kThin; ++round) {
      const Question question = question_of(statistic, kInt64Grid, random);
      const std::vector<Key64> keys = some_keys(kInt64Grid, random);
      const std::vector<bool> all = needed(question, keys.size());
      const auto first = std::find(all.begin(), all.end(), true) - all.begin();
      if (static_cast<std::size_t>(first) == all.size()) continue;
      const auto last = all.rend() - std::find(all.rbegin(), all.rend(), true) - 1;
      std::vector<bool> fewer = all;
      fewer[static_cast<std::size_t>(first)] = false;
      first_matters |= freeze(question, keys) != freeze(question, moved(keys, fewer));
      std::vector<bool> shorter = all;
      shorter[static_cast<std::size_t>(last)] = false;
      last_matters |= freeze(question, keys) != freeze(question, moved(keys, shorter));
    }
    EXPECT_TRUE(first_matters && last_matters) << row_of(statistic).name;
  }
}

TEST(NearRanks, OthersNeedAllValues) {
  for (const Statistic statistic :
       {Statistic::kPrivateMedian, Statistic::kSmoothMedian, Statistic::kTrimmedAverage,
        Statistic::kDeviation, Statistic::kMode, Statistic::kClippedSum, Statistic::kDistinct,
        Statistic::kSum, Statistic::kCount}) {
    EXPECT_FALSE(is_near_ranks(statistic)) << row_of(statistic).name;
  }
}

TEST(NearRanks, AtTheEnds) {
  RankRange ranges[kMostRankRanges];
  Spec spec = median();
  EXPECT_EQ(near_ranks(spec, 0, ranges), 0);
  ASSERT_EQ(near_ranks(spec, 1, ranges), 1);
  EXPECT_EQ(ranges[0].first, 1);
  EXPECT_EQ(ranges[0].last, 1);
  constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  ASSERT_EQ(near_ranks(maximum<Key64>(5), kAll, ranges), 1);
  EXPECT_EQ(ranges[0].first, kAll - 1);
  EXPECT_EQ(ranges[0].last, kAll);
  EXPECT_EQ(near_ranks(kth_smallest(7), 6, ranges), 0);
  EXPECT_EQ(near_ranks(kth_largest(7), 6, ranges), 0);
}

}  // namespace
}  // namespace idp::test
