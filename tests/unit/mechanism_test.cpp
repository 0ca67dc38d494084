// The releases: exactness, infinities, saturation, and what the bits of a float show.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "tests/support/bits.h"
#include "tests/support/data.h"
#include "tests/support/release.h"

namespace idp::test {
namespace {

using Double = std::numeric_limits<double>;
using Float = std::numeric_limits<float>;

const Grid kNarrowGrids[] = {
    {ValueType::kInt16},   {ValueType::kInt32},     {ValueType::kInt64},
    {ValueType::kFloat32}, {ValueType::kFloat64},   Grid::numeric(9, 2),
    {ValueType::kDate},    {ValueType::kTimestamp}, {ValueType::kTimestamptz},
};
const Grid kWideGrids[] = {Grid::numeric(30, 5), Grid::plain_numeric()};

Neighbourhood<Key64> floats(double below, double at, double above) {
  return {ordered_bits(below), ordered_bits(at), ordered_bits(above)};
}

double release_double(const Grid& grid, double below, double at, double above, double epsilon,
                      BitSource& bits) {
  const auto key = release_one(grid, floats(below, at, above), epsilon, bits);
  EXPECT_TRUE(key && grid.admits(*key));
  return from_ordered_bits(*key);
}

TEST(ReleaseOrderStatistic, NoSensitivityIsExactAndDrawsNothing) {
  ReplayBits none({});
  for (const Grid& grid : kNarrowGrids) {
    const Key64 key = grid.is_float() ? ordered_bits(-1.25) : 7;
    EXPECT_EQ(release_one<Key64>(grid, {key, key, key}, 0.1, none), key);
  }
  for (const Grid& grid : kWideGrids) {
    const Key128 key{-3, 5};
    EXPECT_EQ(release_one<Key128>(grid, {key, key, key}, 0.1, none), key);
  }
  EXPECT_EQ(none.finish(), 0u);
}

template <class Key>
void expect_infinities(const Grid& grid, Key finite) {
  ReplayBits none({});
  const Key minus = grid.infinity<Key>(-1), plus = grid.infinity<Key>(1);
  for (const Key infinity : {minus, plus}) {
    EXPECT_EQ(release_one<Key>(grid, {infinity, infinity, infinity}, 1, none), infinity);
  }
  for (const auto& [below, at, above] : {Neighbourhood<Key>{minus, finite, finite},
                                         {finite, finite, plus},
                                         {minus, finite, plus},
                                         {finite, plus, plus},
                                         {minus, minus, finite},
                                         {minus, minus, plus},
                                         {minus, plus, plus}}) {
    EXPECT_FALSE(release_one<Key>(grid, {below, at, above}, 1, none));
  }
  EXPECT_EQ(none.finish(), 0u);
}

TEST(ReleaseOrderStatistic, Infinities) {
  for (const Grid& grid : kNarrowGrids) {
    if (grid.has_infinity()) expect_infinities<Key64>(grid, 0);
  }
  for (const Grid& grid : kWideGrids) expect_infinities<Key128>(grid, Key128{0, 0});
}

TEST(ReleaseOrderStatistic, SaturatesWithATinyEpsilon) {
  SeededBits bits(1);
  for (const Grid& grid : kNarrowGrids) {
    SCOPED_TRACE(static_cast<int>(grid.type));
    int low = 0, high = 0;
    constexpr int kReleases = 100;
    for (int i = 0; i < kReleases; ++i) {
      if (grid.is_float()) {
        const double limit =
            grid.type == ValueType::kFloat32 ? double{Float::max()} : Double::max();
        // a scale of 1e300 is far beyond a real; a double needs a large sensitivity for that
        const double reach = grid.type == ValueType::kFloat32 ? 1 : 1e300;
        const double x = release_double(grid, -reach, 0, reach, 1e-300, bits);
        low += x == -limit;
        high += x == limit;
      } else {
        const auto key = release_one<Key64>(grid, {-1, 0, 1}, 1e-300, bits);
        ASSERT_TRUE(key && grid.admits(*key));
        EXPECT_EQ(grid.infinity_sign(*key), 0);
        low += grid.units(*key) == mpz_from(grid.min_units());
        high += grid.units(*key) == mpz_from(grid.max_units());
      }
    }
    EXPECT_EQ(low + high, kReleases);
    EXPECT_GT(low, 20);
    EXPECT_GT(high, 20);
  }
  for (const Grid& grid : kWideGrids) {
    for (int i = 0; i < 50; ++i) {
      const auto key =
          release_one<Key128>(grid, {Key128{-1, 0}, Key128{0, 0}, Key128{1, 0}}, 1e-300, bits);
      ASSERT_TRUE(key);
      const Int128 units = int128(*key);
      EXPECT_TRUE(units == grid.min_units() || units == grid.max_units());
    }
  }
}

TEST(ReleaseOrderStatistic, NothingIsAddedWithAHugeEpsilon) {
  SeededBits bits(2);
  for (const double epsilon : {1e300, Double::max()}) {
    for (const Grid& grid : kNarrowGrids) {
      if (grid.is_float()) continue;
      const Key64 lowest = static_cast<Key64>(grid.min_units());
      const Key64 highest = static_cast<Key64>(grid.max_units());
      for (const Key64 at : {lowest, Key64{5}, highest}) {
        EXPECT_EQ(release_one<Key64>(grid, {lowest, at, highest}, epsilon, bits), at);
      }
    }
  }
}

// With a huge epsilon the noise is 0 steps, the step is 2^-104 of the sensitivity, and the answer
// is the value of the type nearest to the true one, which is the true one.
TEST(ReleaseOrderStatistic, AFloatIsItsOwnNearestValueWithAHugeEpsilon) {
  SeededBits bits(3);
  for (const Grid& grid : {Grid{ValueType::kFloat64}, Grid{ValueType::kFloat32}}) {
    for (const double at : {3.0, -3.0, 0.5, -0.5, 1e6, -1e6}) {
      int off = 0;
      for (int i = 0; i < 20; ++i) {
        off += release_double(grid, at - 1, at, at + 2, 1e300, bits) != at;
      }
      EXPECT_EQ(off, 0) << "at " << at;
    }
  }
}

TEST(ReleaseOrderStatistic, FloatsAtTheEndsDoNotOverflow) {
  SeededBits bits(4);
  const double max = Double::max(), tiny = Double::denorm_min();
  const double cases[][3] = {{-max, 0, max},      {-max, -max, max},       {-max, max, max},
                             {max / 2, max, max}, {0, tiny, 3 * tiny},     {-tiny, 0, 0},
                             {-tiny, -tiny, max}, {0, Double::min(), max}, {-max, tiny, tiny}};
  for (const auto& [below, at, above] : cases) {
    for (const double epsilon : {1e-300, 1e-3, 1.0, 1e3, 1e300}) {
      for (int i = 0; i < 10; ++i) {
        const double x = release_double(kFloat64Grid, below, at, above, epsilon, bits);
        ASSERT_TRUE(std::isfinite(x));
      }
    }
  }
  const double fmax = Float::max(), ftiny = Float::denorm_min();
  const double narrow_cases[][3] = {{-fmax, 0, fmax}, {-fmax, fmax, fmax}, {0, ftiny, 3 * ftiny}};
  for (const auto& [below, at, above] : narrow_cases) {
    for (const double epsilon : {1e-300, 1.0, 1e300}) {
      release_double(Grid{ValueType::kFloat32}, below, at, above, epsilon, bits);
    }
  }
}

// The noise of a subnormal sensitivity is subnormal: about LS/epsilon, neither 0 nor normal.
TEST(ReleaseOrderStatistic, SubnormalNoiseHasTheRightSize) {
  SeededBits bits(5);
  const double ls = 0x1p-1060;  // 2^14 of the smallest double
  double sum = 0;
  constexpr int kReleases = 2000;
  for (int i = 0; i < kReleases; ++i) {
    sum += std::abs(release_double(kFloat64Grid, -ls, 0, ls, 1, bits)) / ls / kReleases;
  }
  EXPECT_NEAR(sum, 1, 0.15);  // the mean of |Laplace(1)|; its standard error is 0.022
}

// Integral doubles, sensitivity 4, epsilon 1: the noise lies on multiples of 2^-39. Nothing of that
// grid may show: the bits of the answer's mantissa below it must be random ones.
TEST(ReleaseOrderStatistic, LowBitsDoNotShowTheGrid) {
  SeededBits bits(6);
  constexpr int kReleases = 4000;
  constexpr int kLowBits = 8;
  int ones[kLowBits] = {};
  unsigned long common = 1u << 30;  // the largest power of two that divides all answers
  for (int i = 0; i < kReleases; ++i) {
    const double x = release_double(kFloat64Grid, -1, 3, 6, 1, bits);
    const auto word = std::bit_cast<std::uint64_t>(x);
    for (int b = 0; b < kLowBits; ++b) ones[b] += word >> b & 1;
    const mpz_class units = kFloat64Grid.units(ordered_bits(x));
    common = std::min(common, mpz_scan1(units.get_mpz_t(), 0));
  }
  // six standard errors
  for (const int n : ones) EXPECT_NEAR(n, kReleases / 2, 3 * std::sqrt(kReleases));
  EXPECT_LT(static_cast<long>(common) + kFloatStepExponent, -52);
}

TEST(ReleaseOrderStatistic, LowBitsOfRealsDoNotShowTheGrid) {
  SeededBits bits(7);
  constexpr int kReleases = 4000;
  int ones[4] = {};
  for (int i = 0; i < kReleases; ++i) {
    const double x = release_double(Grid{ValueType::kFloat32}, -1, 3, 6, 1, bits);
    const auto word = std::bit_cast<std::uint32_t>(static_cast<float>(x));
    for (int b = 0; b < 4; ++b) ones[b] += word >> b & 1;
  }
  for (const int n : ones) EXPECT_NEAR(n, kReleases / 2, 3 * std::sqrt(kReleases));
}

// With all words the same, the answer of an integer type is at + noise, worked out by hand.
TEST(ReleaseOrderStatistic, ReplayedNoise) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
  ReplayBits plus(joined({{0}, geometric_words(1)}));
  EXPECT_EQ(release_one<Key64>(kInt64Grid, {9, 10, 11}, 1, plus), 11);
  EXPECT_EQ(plus.finish(), 0u);
  ReplayBits minus(joined({{kHalf}, geometric_words(1)}));
  EXPECT_EQ(release_one<Key64>(kInt64Grid, {9, 10, 10}, 1, minus), 9);
  EXPECT_EQ(minus.finish(), 0u);
  // sensitivity 3, from the greater side only: U = 2 on {0, 1, 2}, V = 1
  ReplayBits wide(joined({{0}, geometric_words(1, {kHalf})}));
  EXPECT_EQ(release_one<Key64>(kInt64Grid, {9, 10, 13}, 1, wide), 15);
  EXPECT_EQ(wide.finish(), 0u);
}

TEST(Counts, SaturateAtTheEnds) {
  SeededBits bits(8);
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  const std::int64_t min = std::numeric_limits<std::int64_t>::min();
  int at_max = 0;
  for (int i = 0; i < 200; ++i) {
    const std::int64_t count = release_count(max, 1, bits);
    EXPECT_GT(count, max - 100);
    at_max += count == max;
    EXPECT_LT(release_count(min, 1, bits), min + 100);
    EXPECT_GE(release_truncated_count(max, 0.1, bits), max - 1);
    EXPECT_LE(release_truncated_count(min, 0.1, bits), min + 1);
  }
  EXPECT_GT(at_max, 50);
  for (int i = 0; i < 50; ++i) {
    const std::int64_t count = release_count(0, 1e-300, bits);
    EXPECT_TRUE(count == min || count == max);
  }
}

TEST(Counts, ATruncatedCountIsWithinOne) {
  SeededBits bits(9);
  for (const double epsilon : {1e-300, 0.01, 0.5, 3.0, 1e300}) {
    bool seen[3] = {};
    for (int i = 0; i < 500; ++i) {
      const std::int64_t noise = release_truncated_count(1000, epsilon, bits) - 1000;
      ASSERT_LE(std::abs(noise), 1);
      seen[noise + 1] = true;
    }
    EXPECT_EQ(seen[0], epsilon < 10);
    EXPECT_EQ(seen[1], epsilon > 1e-10);
    EXPECT_EQ(seen[2], epsilon < 10);
  }
}

TEST(Counts, ReplayedNoise) {
  const WordList plus_two = joined({{0}, geometric_words(2)});
  ReplayBits count(plus_two), truncated(plus_two);
  EXPECT_EQ(release_count(40, 1, count), 42);
  EXPECT_EQ(release_truncated_count(40, 1, truncated), 41);
  EXPECT_EQ(count.finish(), 0u);
  EXPECT_EQ(truncated.finish(), 0u);
}

}  // namespace
}  // namespace idp::test
