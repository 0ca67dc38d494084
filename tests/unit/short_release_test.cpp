// Answers in machine words are those by long integers, for the same words: order statistics,
// counts, sums and averages.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <variant>
#include <vector>

#include "core/mechanism/short_moments.h"
#include "core/mechanism/short_order_statistic.h"
#include "tests/support/bits.h"
#include "tests/support/moments.h"
#include "tests/support/release.h"
#include "tests/support/thin.h"

namespace idp::test {
namespace {

// Two sources of the same words: of random ones, awkward ones, or ones that make a long draw.
struct Twins {
  std::unique_ptr<BitSource> one, other, untouched;

  explicit Twins(std::uint64_t seed) {
    for (auto* source : {&one, &other, &untouched}) *source = make(seed);
  }

  static std::unique_ptr<BitSource> make(std::uint64_t seed) {
    switch (seed % 4) {
      case 0:
        return std::make_unique<AwkwardBits>(seed);
      case 1:
        return std::make_unique<EndlessBits>(seed / 4 % 8, seed);
      default:
        return std::make_unique<SeededBits>(seed);
    }
  }
};

double some_epsilon(std::mt19937_64& random) {
  constexpr double kSome[] = {0.5, 1, 0.1, 0.01, 1e-9, 3, 100, 1e6, 1e30, 1e-30, 1e-200};
  const auto i = random() % 32;
  return i < std::size(kSome) ? kSome[i]
                              : std::ldexp(static_cast<double>(random() % 4096 + 1),
                                           static_cast<int>(random() % 24) - 18);
}

struct Taken {
  int here = 0, all = 0;
  double share() const { return static_cast<double>(here) / all; }
};

// A draw with an epsilon far above the sensitivity takes as long as it is far.
template <class Key>
void expect_same(const Grid& grid, const Neighbourhood<Key>& around, double epsilon,
                 std::uint64_t seed, Taken& taken) {
  const Twins bits(seed);
  const auto answer = short_order_statistic<Key>(grid, around, epsilon, *bits.one);
  ++taken.all;
  if (!answer) {
    ASSERT_EQ(bits.one->word(), bits.untouched->word());
    return;
  }
  ++taken.here;
  const auto expected = release_one<Key>(grid, around, epsilon, *bits.other);
  ASSERT_TRUE(expected);
  ASSERT_EQ(*answer, *expected) << "epsilon " << epsilon << ", seed " << seed;
  ASSERT_EQ(bits.one->word(), bits.other->word());
}

// Three doubles in order: near each other or not, of all magnitudes, subnormal ones, zeros, equals.
Neighbourhood<Key64> some_floats(std::mt19937_64& random, bool single) {
  std::array<double, 3> x;
  const int scale = static_cast<int>(random() % 2000) - 1040;
  const auto kind = random() % 6;
  for (double& v : x) {
    switch (kind) {
      case 0:
        do v = std::bit_cast<double>(random());
        while (!std::isfinite(v));
        break;
      case 1:
        v = std::ldexp(1 + static_cast<double>(random() % 8) * 0x1p-52, scale % 1000);
        break;
      case 2:
        v = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), scale / 2);
        break;
      case 3:
        v = static_cast<double>(static_cast<std::int64_t>(random() % 5) - 2);
        break;
      case 4:
        v = std::bit_cast<double>(random() & 0x800fffffffffffffu) * (random() % 3 == 0);
        break;
      default:
        v = static_cast<double>(random() >> 11) * 0x1p-43 - 500;
    }
    if (single) v = std::clamp<double>(v, -3e38, 3e38);
    if (single) v = static_cast<double>(static_cast<float>(v));
  }
  std::sort(x.begin(), x.end());
  return {ordered_bits(x[0]), ordered_bits(x[1]), ordered_bits(x[2])};
}

TEST(ShortRelease, FloatOrderStatistics) {
  std::mt19937_64 random(1);
  Taken taken;
  for (int i = 0; i < 100000 / kThin; ++i) {
    const bool single = random() % 3 == 0;
    const Grid grid{single ? ValueType::kFloat32 : ValueType::kFloat64};
    const auto around = some_floats(random, single);
    expect_same<Key64>(grid, around, some_epsilon(random), random(), taken);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(taken.share(), 0.5);
  Taken usual;
  for (int i = 0; i < 10000 / kThin; ++i) {
    std::array<double, 3> x;
    for (double& v : x) v = static_cast<double>(random() >> 11) * 0x1p-43;
    std::sort(x.begin(), x.end());
    expect_same<Key64>(kFloat64Grid, {ordered_bits(x[0]), ordered_bits(x[1]), ordered_bits(x[2])},
                       i % 2 == 0 ? 0.5 : 0.1, random(), usual);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(usual.here, usual.all);
}

TEST(ShortRelease, ExactOrderStatistics) {
  const Grid narrow[] = {{ValueType::kInt16}, {ValueType::kInt32},     {ValueType::kInt64},
                         {ValueType::kDate},  {ValueType::kTimestamp}, Grid::numeric(9, 2)};
  std::mt19937_64 random(2);
  Taken taken;
  for (int i = 0; i < 60000 / kThin; ++i) {
    const Grid& grid = narrow[random() % std::size(narrow)];
    const auto key = [&] {
      if (grid.has_infinity() && random() % 64 == 0) {
        return grid.infinity<Key64>(random() % 2 == 0 ? 1 : -1);
      }
      const Int128 least = grid.min_units(), most = grid.max_units();
      const auto v = static_cast<std::int64_t>(random()) >> random() % 64;
      return static_cast<Key64>(std::clamp<Int128>(v, least, most));
    };
    std::array<Key64, 3> x{key(), key(), key()};
    std::sort(x.begin(), x.end());
    expect_same<Key64>(grid, {x[0], x[1], x[2]}, some_epsilon(random), random(), taken);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(taken.share(), 0.8);
  const Grid wide[] = {Grid::numeric(38, 5), Grid::plain_numeric()};
  Taken wide_taken;
  for (int i = 0; i < 30000 / kThin; ++i) {
    const Grid& grid = wide[random() % std::size(wide)];
    const auto key = [&] {
      const auto v = static_cast<Int128>(static_cast<Uint128>(random()) << 64 | random());
      return key128(std::clamp(v >> random() % 127, grid.min_units(), grid.max_units()));
    };
    std::array<Key128, 3> x{key(), key(), key()};
    std::sort(x.begin(), x.end());
    expect_same<Key128>(grid, {x[0], x[1], x[2]}, some_epsilon(random), random(), wide_taken);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(wide_taken.share(), 0.5);
}

TEST(ShortRelease, Counts) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 50000 / kThin; ++i) {
    Spec spec = spec_of(random() % 3 == 0 ? Statistic::kTruncatedRange : Statistic::kCount);
    spec.epsilon = some_epsilon(random);
    const auto count = static_cast<std::int64_t>(random() >> 1) >> random() % 63;
    const Twins bits(random());
    const std::int64_t answer = idp::release_count(
        count, spec.statistic == Statistic::kCount ? Truncation::kNone : Truncation::kToOneStep,
        spec.epsilon, *bits.one);
    ASSERT_EQ(answer, release_counted(spec.statistic, count, spec.epsilon, *bits.other));
    ASSERT_EQ(bits.one->word(), bits.other->word());
  }
}

std::optional<Number> as_long(const MaybeShort& answer) {
  if (std::holds_alternative<Suppressed>(answer)) return std::nullopt;
  if (const auto* number = std::get_if<Number>(&answer)) return *number;
  const auto& number = std::get<ShortNumber>(answer);
  return Number{mpz_from(number.units), number.decimal, number.scale};
}

// Bounds of the grid in order, near each other or far.
std::array<Key64, 2> some_bounds(std::mt19937_64& random, const Grid& grid) {
  std::array<Key64, 2> bounds;
  for (Key64& bound : bounds) {
    const auto v = static_cast<std::int64_t>(random()) >> random() % 64;
    if (grid.is_float()) {
      const double x = std::ldexp(static_cast<double>(v), static_cast<int>(random() % 70) - 50);
      bound = ordered_bits(static_cast<double>(static_cast<float>(x)));
    } else {
      bound = static_cast<Key64>(std::clamp<Int128>(v, grid.min_units(), grid.max_units()));
    }
  }
  std::sort(bounds.begin(), bounds.end());
  return bounds;
}

TEST(ShortRelease, SumsAndAverages) {
  const Grid grids[] = {{ValueType::kInt16},   {ValueType::kInt32},   {ValueType::kInt64},
                        {ValueType::kFloat32}, {ValueType::kFloat64}, Grid::numeric(9, 2),
                        Grid::numeric(18, 0),  Grid::numeric(5, -3)};
  const Statistic statistics[] = {Statistic::kSum, Statistic::kAverage, Statistic::kPrivateSum,
                                  Statistic::kPrivateAverage};
  std::mt19937_64 random(4);
  Taken taken;
  int beyond = 0, unsupported = 0;
  for (int i = 0; i < 60000 / kThin; ++i) {
    const Grid& grid = grids[random() % std::size(grids)];
    const auto [lower, upper] = some_bounds(random, grid);
    Spec spec = moments(statistics[random() % std::size(statistics)], lower, upper, grid);
    spec.epsilon = some_epsilon(random);
    std::vector<Key64> keys(random() % 12);
    for (Key64& key : keys) {
      const auto [a, b] = some_bounds(random, grid);
      key = random() % 4 == 0 ? (random() % 2 == 0 ? lower : upper) : random() % 2 == 0 ? a : b;
    }
    const State state = state_of(spec, keys);
    const auto plan = short_moments(spec);
    ASSERT_TRUE(plan);
    const Twins bits(random());
    const MaybeShort answer = plan->release(state.words.data(), state.count, *bits.one);
    ++taken.all;
    if (std::holds_alternative<std::monostate>(answer)) {
      ASSERT_EQ(bits.one->word(), bits.untouched->word());
      continue;
    }
    ++taken.here;
    beyond += std::holds_alternative<Number>(answer);
    unsupported += std::holds_alternative<Suppressed>(answer);
    const auto expected =
        maybe_moments(spec, {&spec.epsilon, 1}, state.words.data(), state.count, *bits.other);
    ASSERT_EQ(as_long(answer), expected) << static_cast<int>(spec.statistic) << ' '
                                         << static_cast<int>(grid.type) << ' ' << spec.epsilon;
    ASSERT_EQ(bits.one->word(), bits.other->word());
  }
  EXPECT_GT(taken.share(), 0.8);
  EXPECT_GT(beyond, 100 / kThin);
  EXPECT_GT(unsupported, 1000 / kThin);
}

TEST(ShortRelease, SumsOfOtherKindsAreLeftToLongIntegers) {
  Spec spec = moments<Key64>(Statistic::kVariance, 0, 10);
  EXPECT_FALSE(short_moments(spec));
  spec.statistic = Statistic::kSum;
  EXPECT_TRUE(short_moments(spec));
  spec.groups = 2;
  EXPECT_FALSE(short_moments(spec));
  const Spec wide = moments<Key128>(Statistic::kSum, key128(Int128{0}), key128(Int128{10}),
                                    Grid::plain_numeric());
  EXPECT_FALSE(short_moments(wide));
  // more rows than fit
  spec.groups = 1;
  State state = state_of<Key64>(spec, {1, 2, 3});
  SeededBits bits(1), same(1);
  const auto plan = short_moments(spec);
  for (const std::int64_t count :
       {std::int64_t{1} << 54, std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_TRUE(
        std::holds_alternative<std::monostate>(plan->release(state.words.data(), count, bits)));
  }
  EXPECT_EQ(bits.word(), same.word());
}

}  // namespace
}  // namespace idp::test
