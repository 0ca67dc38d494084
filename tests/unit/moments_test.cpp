// The collected moments against sums in long integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/collect/moments.h"
#include "tests/support/moments.h"

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

bool keeps_squares(Statistic s) {
  return s == Statistic::kVariance || s == Statistic::kStddev || s == Statistic::kPrivateVariance ||
         s == Statistic::kPrivateStddev;
}
bool keeps_ends(Statistic s) { return s <= Statistic::kStddev; }

mpz_class offset_of(const Spec& spec, Key64 key) {
  return mpz_from_unsigned(Offsets(spec.grid, spec.lower, spec.upper).narrow(key));
}
mpz_class offset_of(const Spec& spec, Key128 key) {
  return mpz_from_unsigned(Offsets(spec.grid, spec.lower, spec.upper).wide(key));
}

template <class Key>
void expect_totals(const Spec& spec, const std::vector<Key>& keys, const State& state) {
  std::vector<mpz_class> offsets;
  mpz_class sum, squares;
  for (const Key& key : keys) {
    offsets.push_back(offset_of(spec, key));
    sum += offsets.back();
    squares += offsets.back() * offsets.back();
  }
  std::sort(offsets.begin(), offsets.end());
  const MomentTotals totals = totals_of(spec, state);
  ASSERT_EQ(totals.count, static_cast<unsigned long>(keys.size()));
  ASSERT_EQ(totals.sum, sum);
  ASSERT_EQ(totals.squares, keeps_squares(spec.statistic) ? squares : mpz_class(0));
  const std::size_t ends =
      keeps_ends(spec.statistic) ? std::min<std::size_t>(spec.groups, keys.size()) : 0;
  ASSERT_EQ(totals.smallest.size(), ends);
  ASSERT_EQ(totals.largest.size(), ends);
  for (std::size_t i = 0; i < ends; ++i) {
    ASSERT_EQ(totals.smallest[i], offsets[i]);
    ASSERT_EQ(totals.largest[i], offsets[offsets.size() - 1 - i]);
  }
  ASSERT_TRUE(sound(spec, state));
}

// In one pass, and merged from pieces in any order: the same words.
template <class Key>
void expect_moments(const Spec& spec, std::vector<Key> keys, std::mt19937_64& random) {
  const State whole = state_of(spec, keys);
  expect_totals(spec, keys, whole);
  std::shuffle(keys.begin(), keys.end(), random);
  std::vector<State> pieces;
  for (const auto& run : cut<Key>(keys, static_cast<int>(random() % 5 + 1), random)) {
    pieces.push_back(state_of(spec, std::vector<Key>(run.begin(), run.end())));
  }
  while (pieces.size() > 1) {
    const std::size_t i = random() % pieces.size();
    std::swap(pieces[i], pieces.back());
    const State last = pieces.back();
    pieces.pop_back();
    merge(spec, pieces[random() % pieces.size()], last);
  }
  ASSERT_EQ(pieces.front(), whole);
}

TEST(Moments, AreThoseOfTheRows) {
  constexpr Key64 kMin = KeyLimits<Key64>::kMin, kMax = KeyLimits<Key64>::kMax;
  std::mt19937_64 random(1);
  for (const Statistic statistic : kAll) {
    for (int i = 0; i < 300; ++i) {
      const bool several = statistic <= Statistic::kAverage;
      const int groups = several ? static_cast<int>(random() % 5 + 1) : 1;
      std::vector<Key64> few(random() % 12), any(random() % 40);
      for (auto& key : few) key = static_cast<Key64>(random() % 9);
      for (auto& key : any) key = static_cast<Key64>(random()) >> (random() % 64);
      expect_moments<Key64>(moments<Key64>(statistic, 1, 6, kInt64Grid, groups), few, random);
      expect_moments<Key64>(moments<Key64>(statistic, kMin, kMax, kInt64Grid, groups), any, random);
      expect_moments<Key64>(moments<Key64>(statistic, 5, 5, kInt64Grid, groups), few, random);
      for (auto& key : any) key = ordered_bits(static_cast<double>(key) * 0x1p-60);
      expect_moments<Key64>(
          moments(statistic, ordered_bits(-2.5), ordered_bits(1.75), kFloat64Grid, groups), any,
          random);
      std::vector<Key128> wide(random() % 12);
      for (auto& key : wide) {
        key = key128(int128({static_cast<std::int64_t>(random()), random()}) >>
                     static_cast<int>(random() % 128));
      }
      const Grid plain = Grid::plain_numeric();
      expect_moments<Key128>(
          moments(statistic, key128(plain.min_units()), key128(plain.max_units()), plain, groups),
          wide, random);
    }
  }
}

// A row so many times at once, once it lies between the ends: the words of as many rows.
TEST(Moments, AddedOften) {
  std::mt19937_64 random(2);
  int compared = 0;
  for (const Statistic statistic : kAll) {
    for (int i = 0; i < 200; ++i) {
      const auto any = [&] { return static_cast<Key64>(random()) >> (random() % 64); };
      const bool is_wide = i % 2 == 0;
      const Key64 lower = is_wide ? KeyLimits<Key64>::kMin : -3;
      const Key64 upper = is_wide ? KeyLimits<Key64>::kMax : 9;
      const Spec spec = moments<Key64>(statistic, lower, upper, kInt64Grid, 1);
      const Offsets offsets(spec.grid, spec.lower, spec.upper);
      const Key64 often = i % 5 == 0 ? upper : std::clamp(any(), lower, upper);
      std::vector<Key64> keys(random() % 5);
      for (auto& key : keys) key = std::clamp(any(), lower, upper);
      keys.push_back(often);
      State one_by_one = state_of(spec, keys);
      State at_once = one_by_one;
      const std::uint64_t times = 1 + random() % 300;
      for (std::uint64_t k = 0; k < times; ++k) add(spec, offsets, one_by_one, often);
      const std::uint64_t offset = offsets.narrow(often);
      const MomentLayout layout = moment_layout(spec);
      if (!between_ends(layout, at_once.words.data(), at_once.count, offset)) continue;
      add_often_to_moments(layout, at_once.words.data(), offset, times);
      at_once.count += static_cast<std::int64_t>(times);
      ASSERT_EQ(at_once, one_by_one);
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000);
}

// The largest offset as often as a row can come.
TEST(Moments, AddedMostOften) {
  const Spec spec =
      moments<Key64>(Statistic::kPrivateVariance, KeyLimits<Key64>::kMin, KeyLimits<Key64>::kMax);
  State state = empty_state(spec);
  const std::uint64_t most = ~std::uint64_t{0};
  const std::uint64_t times = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  add_often_to_moments(moment_layout(spec), state.words.data(), most, times);
  state.count = static_cast<std::int64_t>(times);
  const MomentTotals totals = totals_of(spec, state);
  const mpz_class offset = mpz_from_unsigned(most);
  EXPECT_EQ(totals.sum, totals.count * offset);
  EXPECT_EQ(totals.squares, totals.count * offset * offset);
}

TEST(Moments, FewWords) {
  EXPECT_EQ(moment_layout(moments<Key64>(Statistic::kSum, 0, 1)).words(), 7u);
  EXPECT_EQ(moment_layout(moments<Key64>(Statistic::kAverage, 0, 1, kInt64Grid, 32)).words(), 131u);
  EXPECT_EQ(moment_layout(moments<Key64>(Statistic::kStddev, 0, 1)).words(), 12u);
  EXPECT_EQ(moment_layout(moments<Key64>(Statistic::kPrivateAverage, 0, 1)).words(), 3u);
  EXPECT_EQ(moment_layout(moments<Key64>(Statistic::kPrivateVariance, 0, 1)).words(), 8u);
}

template <class Key>
void expect_no_overflow(const Spec& spec, Key key) {
  constexpr std::int64_t kRows = 1000000;
  const Offsets offsets(spec.grid, spec.lower, spec.upper);
  State state = empty_state(spec);
  for (std::int64_t i = 0; i < kRows; ++i) add(spec, offsets, state, key);
  // and doubled as long as the count fits: 2^43 times as many
  while (state.count <= std::numeric_limits<std::int64_t>::max() / 2)
    merge(spec, state, State(state));
  const mpz_class width = mpz_from_unsigned(offsets.width());
  const MomentTotals totals = totals_of(spec, state);
  EXPECT_EQ(totals.sum, totals.count * width);
  const mpz_class squares = totals.count * width * width;
  EXPECT_EQ(totals.squares, keeps_squares(spec.statistic) ? squares : mpz_class(0));
  EXPECT_TRUE(sound(spec, state));
}

TEST(Moments, TheLargestValuesDoNotOverflow) {
  constexpr Key64 kMin = KeyLimits<Key64>::kMin, kMax = KeyLimits<Key64>::kMax;
  constexpr double kDouble = std::numeric_limits<double>::max();
  const Grid wide = Grid::numeric(38, 0), plain = Grid::plain_numeric();
  for (const Statistic statistic : {Statistic::kAverage, Statistic::kStddev}) {
    expect_no_overflow<Key64>(moments<Key64>(statistic, kMin, kMax), kMax);
    expect_no_overflow<Key64>(
        moments(statistic, ordered_bits(-kDouble), ordered_bits(kDouble), kFloat64Grid),
        ordered_bits(std::numeric_limits<double>::infinity()));
    for (const Grid& grid : {wide, plain}) {
      expect_no_overflow<Key128>(
          moments(statistic, key128(grid.min_units()), key128(grid.max_units()), grid),
          grid.infinity<Key128>(1));
    }
  }
}

}  // namespace
}  // namespace idp::test
