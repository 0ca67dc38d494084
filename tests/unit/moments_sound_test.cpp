// States from outside: what no rows can have made is refused, and what is not refused can be
// finished, whatever it holds.
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>

#include "tests/support/bits.h"
#include "tests/support/moments.h"
#include "tests/support/release.h"
#include "tests/support/thin.h"

namespace idp::test {
namespace {

constexpr Statistic kAll[] = {Statistic::kSum,
                              Statistic::kAverage,
                              Statistic::kVariance,
                              Statistic::kStddev,
                              Statistic::kPrivateSum,
                              Statistic::kPrivateAverage,
                              Statistic::kPrivateVariance,
                              Statistic::kPrivateStddev};
constexpr std::int64_t kMaxCount = std::numeric_limits<std::int64_t>::max();

int groups_of(Statistic statistic) { return statistic <= Statistic::kAverage ? 3 : 1; }

// Finishes a state that was let in.
void expect_finished(const Spec& spec, const State& state, BitSource& bits) {
  const std::vector<double> epsilons(spec.groups, 1.0);
  if (spec.statistic <= Statistic::kStddev) {
    const Frozen frozen = freeze_moments(spec, state.words.data(), state.count);
    mpq_class least = 0;
    for (const mpq_class& sensitivity : frozen.sensitivities[0]) {
      ASSERT_GE(sensitivity, least);
      least = sensitivity;
    }
  }
  (void)maybe_moments(spec, epsilons, state.words.data(), state.count, bits);
}

std::vector<Spec> some_specs() {
  std::vector<Spec> specs;
  constexpr Key64 kMin = KeyLimits<Key64>::kMin, kMax = KeyLimits<Key64>::kMax;
  const Grid plain = Grid::plain_numeric();
  for (const Statistic s : kAll) {
    const int groups = groups_of(s);
    specs.push_back(moments<Key64>(s, -3, 4, kInt64Grid, groups));
    specs.push_back(moments<Key64>(s, 2, 2, kInt64Grid, groups));
    specs.push_back(moments<Key64>(s, kMin, kMax, kInt64Grid, groups));
    specs.push_back(moments(s, ordered_bits(-0.5), ordered_bits(3), kFloat64Grid, groups));
    specs.push_back(
        moments(s, key128(plain.min_units()), key128(plain.max_units()), plain, groups));
  }
  return specs;
}

State some_state(const Spec& spec, std::mt19937_64& random) {
  const Offsets offsets(spec.grid, spec.lower, spec.upper);
  const std::uint64_t n = random() % 12;
  State state = empty_state(spec);
  for (std::uint64_t i = 0; i < n; ++i) {
    const Key128 key{static_cast<std::int64_t>(random()) >> (random() % 64), random()};
    if (spec.grid.is_wide()) {
      add(spec, offsets, state, key);
    } else {
      add(spec, offsets, state, static_cast<Key64>(key.low) >> (random() % 64));
    }
  }
  return state;
}

TEST(SoundMoments, OneWordChanged) {
  std::mt19937_64 random(1);
  SeededBits bits(1);
  int refused = 0, kept = 0;
  for (const Spec& spec : some_specs()) {
    for (int i = 0; i < 300; ++i) {
      State state = some_state(spec, random);
      ASSERT_TRUE(sound(spec, state));
      const std::size_t where = random() % (state.words.size() + 1);
      if (where == state.words.size()) {
        state.count += static_cast<std::int64_t>(random() % 5) - 2;
      } else if (random() % 2) {
        state.words[where] += random() % 5 - 2;
      } else {
        state.words[where] = random() >> (random() % 64);
      }
      const bool ok = sound(spec, state);
      ++(ok ? kept : refused);
      if (ok) expect_finished(spec, state, bits);
    }
  }
  EXPECT_GT(refused, 5000);
  EXPECT_GT(kept, 500);
}

// A sum and squares for the given count that may just be possible, and everything random.
TEST(SoundMoments, RandomWords) {
  std::mt19937_64 random(2);
  SeededBits bits(2);
  int kept = 0;
  for (const Spec& spec : some_specs()) {
    for (int i = 0; i < 2000 / kThin; ++i) {
      State state = empty_state(spec);
      state.count = random() % 3 ? kMaxCount - static_cast<std::int64_t>(random() % 3)
                                 : static_cast<std::int64_t>(random() >> (random() % 63 + 1));
      const std::size_t zeros = random() % (state.words.size() + 1);
      for (std::size_t w = 0; w < state.words.size(); ++w) {
        if (random() % (zeros + 1) == 0) state.words[w] = random() >> (random() % 64);
      }
      const bool ok = sound(spec, state);
      kept += ok;
      if (ok) expect_finished(spec, state, bits);
    }
  }
  EXPECT_GT(kept, 100 / kThin);
}

// Counts of 2^63 - 1 from forged states that are joined: the count saturates, the words wrap.
TEST(SoundMoments, MoreRowsThanThereCanBe) {
  std::mt19937_64 random(3);
  SeededBits bits(3);
  for (const Spec& spec : some_specs()) {
    const Offsets offsets(spec.grid, spec.lower, spec.upper);
    for (int i = 0; i < 20; ++i) {
      State state = some_state(spec, random);
      for (int j = 0; j < 70; ++j) {
        merge_moments(moment_layout(spec), state.words.data(), state.count,
                      State(state).words.data(), state.count);
        state.count = state.count > kMaxCount / 2 ? kMaxCount : 2 * state.count;
        if (j == 40 && state.count > 0) add(spec, offsets, state, spec.upper_as<Key64>());
      }
      expect_finished(spec, state, bits);
    }
  }
}

// For up to three rows soundness is no more and no less than being made of rows.
TEST(SoundMoments, FewRowsExactly) {
  constexpr std::int64_t kWidth = 3;
  for (const Statistic statistic : {Statistic::kSum, Statistic::kVariance}) {
    const Spec spec = moments<Key64>(statistic, 5, 5 + kWidth);
    std::set<std::pair<std::int64_t, std::vector<std::uint64_t>>> real;
    const auto within = brute_neighbours({}, 5, 5 + kWidth, 3);
    for (const Data& data : within.back()) {
      const State state = state_of<Key64>(spec, data);
      real.emplace(state.count, state.words);
    }
    const bool squares = statistic == Statistic::kVariance;
    for (std::int64_t count = 0; count <= 3; ++count) {
      for (std::uint64_t sum = 0; sum <= 11; ++sum) {
        for (std::uint64_t q = 0; q <= (squares ? 30u : 0u); ++q) {
          for (std::uint64_t low = 0; low <= 4; ++low) {
            for (std::uint64_t high = 0; high <= 4; ++high) {
              State state = empty_state(spec);
              state.count = count;
              state.words[2] = sum;
              if (squares) state.words[7] = q;
              const std::size_t ends = moment_layout(spec).smallest();
              state.words[ends + 1] = low;
              state.words[ends + 3] = high;
              ASSERT_EQ(sound(spec, state), real.count({count, state.words}) == 1)
                  << count << " rows, " << sum << ", " << q << ", " << low << ", " << high;
            }
          }
        }
      }
    }
  }
}

TEST(SoundMoments, WhatIsRefused) {
  const Spec spec = moments<Key64>(Statistic::kVariance, 0, 10);
  const State good = state_of<Key64>(spec, {1, 3, 5, 9});
  const auto changed = [&](std::size_t word, std::uint64_t to) {
    State state = good;
    state.words.at(word) = to;
    return sound(spec, state);
  };
  const std::size_t sum = 2, squares = 7, smallest = 9, largest = 11;
  EXPECT_TRUE(sound(spec, good));
  EXPECT_FALSE(changed(sum, 19));
  EXPECT_FALSE(changed(sum - 1, 1));
  EXPECT_TRUE(changed(squares, 114));  // 1, 4, 4, 9
  EXPECT_FALSE(changed(squares, 112));
  EXPECT_FALSE(changed(squares, 117));  // odd
  EXPECT_TRUE(changed(squares, 132));   // 1, 1, 7, 9
  EXPECT_FALSE(changed(squares, 134));
  EXPECT_FALSE(changed(squares - 1, 1));
  EXPECT_FALSE(changed(smallest, 6));
  EXPECT_FALSE(changed(largest, 11));
  EXPECT_FALSE(changed(largest - 1, 1));
  State negative = good;
  negative.count = -1;
  EXPECT_FALSE(sound(spec, negative));
  const Spec group = moments<Key64>(Statistic::kSum, 0, 10, kInt64Grid, 3);
  State two = state_of<Key64>(group, {4, 6});
  EXPECT_TRUE(sound(group, two));
  two.words[3 + 2 * 2 + 1] = 7;  // a third smallest of two
  EXPECT_FALSE(sound(group, two));
  State apart = state_of<Key64>(group, {4, 5, 6, 7});  // 5 and 6 are in both lists
  apart.words[3 + 2 * 1 + 1] = 6;
  EXPECT_FALSE(sound(group, apart));
}

}  // namespace
}  // namespace idp::test
