// The public grid: its step, its ends, and that values and steps are exchanged exactly.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/grid/public_grid.h"
#include "tests/support/data.h"

namespace idp::test {
namespace {

using Double = std::numeric_limits<double>;
using Float = std::numeric_limits<float>;

const Grid kFloat32Grid{ValueType::kFloat32};

struct Bounds {
  double lower, upper;
};

const Bounds kBounds[] = {
    {0, 1},
    {-1, 1},
    {-1, 0},
    {-3.7, 1e-9},
    {-1e-9, 3.7},
    {0.1, 0.1},
    {0.1, std::nextafter(0.1, 1)},
    {-0.1, 0.1},
    {0, 0},
    {1e-20, 1},   // the lower bound is off the grid: above its floor
    {-1, 1e-20},  // and the upper one
    {-1e-20, 1},  // the ceiling is 0
    {1, 0x1.fffffffffffffp+0},
    {1, 2},  // a power of two: the step doubles
    {-2, -1},
    {0, Double::denorm_min()},
    {-Double::denorm_min(), Double::denorm_min()},
    {Double::denorm_min(), Double::denorm_min()},
    {0, 5e-310},
    {-Double::min(), Double::min()},
    {0, 4 * Double::min()},
    {-Double::max(), Double::max()},
    {Double::max(), Double::max()},
    {-Double::max(), -Double::max()},
    {1, Double::max()},
    {-5e-324, Double::max()},
    {1e300, 1e301},
    {-123456.789, 987654.321},
};

mpq_class rational(Key64 key) { return mpq_class(from_ordered_bits(key)); }

// 2^-52 of the power of two of the larger magnitude, not finer than the smallest double
mpq_class step_of(const Bounds& bounds) {
  const double magnitude = std::max(std::abs(bounds.lower), std::abs(bounds.upper));
  const int exponent = magnitude == 0 ? -1074 : std::max(-1074, std::ilogb(magnitude) - 52);
  mpq_class step = 1;
  if (exponent < 0) {
    step /= mpq_class(mpz_class(1) << static_cast<unsigned long>(-exponent));
  } else {
    step *= mpq_class(mpz_class(1) << static_cast<unsigned long>(exponent));
  }
  return step;
}

mpz_class floor_of(const mpq_class& q) {
  mpz_class v;
  mpz_fdiv_q(v.get_mpz_t(), q.get_num_mpz_t(), q.get_den_mpz_t());
  return v;
}
mpz_class ceiling_of(const mpq_class& q) { return -floor_of(-q); }

PublicGrid<Key64> float_grid(const Bounds& bounds, const Grid& grid = kFloat64Grid) {
  return PublicGrid<Key64>(grid, ordered_bits(bounds.lower), ordered_bits(bounds.upper));
}

// Step numbers at the ends, around 0 and anywhere between.
std::vector<mpz_class> some_steps(const PublicGrid<Key64>& grid, std::mt19937_64& random) {
  std::vector<mpz_class> steps;
  const auto add = [&](const mpz_class& s) {
    if (s >= grid.lower() && s <= grid.upper()) steps.push_back(s);
  };
  for (int off = 0; off <= 3; ++off) {
    add(grid.lower() + off);
    add(grid.upper() - off);
    add(off);
    add(-off);
  }
  const mpz_class points = grid.upper() - grid.lower() + 1;
  for (int i = 0; i < 200; ++i) {
    const mpz_class offset = static_cast<unsigned long>(random()) % points;
    add(grid.lower() + offset);
    add(grid.lower() + (offset >> (random() % 60)));
    add(grid.upper() - (offset >> (random() % 60)));
  }
  return steps;
}

// Doubles within the bounds, next to them and beyond, of all magnitudes.
std::vector<Key64> some_values(const Bounds& bounds, std::mt19937_64& random) {
  std::vector<Key64> keys;
  const Key64 plus = ordered_bits(Double::infinity()), minus = ordered_bits(-Double::infinity());
  const auto add = [&](Key64 key) {
    if (key != -1 && key >= minus && key <= plus) keys.push_back(key);  // -1 is no key: minus zero
  };
  const Key64 low = ordered_bits(bounds.lower), high = ordered_bits(bounds.upper);
  for (Key64 off = -3; off <= 3; ++off) {
    add(low + off);
    add(high + off);
    add(ordered_bits(0) + off);
  }
  add(plus);
  add(minus);
  for (int i = 0; i < 200; ++i) {
    add(static_cast<Key64>(random()));
    const auto width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    if (width > 0) add(static_cast<Key64>(static_cast<std::uint64_t>(low) + random() % width));
    const double share = static_cast<double>(random() >> 11) * 0x1p-53;
    add(ordered_bits(bounds.lower * (1 - share) + bounds.upper * share));
  }
  return keys;
}

TEST(PublicGrid, TheEndsAreTheBoundsRoundedInwards) {
  for (const Bounds& bounds : kBounds) {
    SCOPED_TRACE(testing::Message() << bounds.lower << " to " << bounds.upper);
    const auto grid = float_grid(bounds);
    const mpq_class step = step_of(bounds);
    EXPECT_EQ(grid.lower(), ceiling_of(mpq_class(bounds.lower) / step));
    EXPECT_EQ(grid.upper(), floor_of(mpq_class(bounds.upper) / step));
    EXPECT_LE(grid.lower(), grid.upper());
    // at most 2^53 steps on either side of 0: each is a double
    const mpz_class most = mpz_class(1) << 53;
    EXPECT_LE(abs(grid.lower()), most);
    EXPECT_LE(abs(grid.upper()), most);
    // the larger bound is on the grid
    const bool upper = std::abs(bounds.upper) >= std::abs(bounds.lower);
    EXPECT_EQ((upper ? grid.upper() : grid.lower()) * step,
              mpq_class(upper ? bounds.upper : bounds.lower));
  }
}

TEST(PublicGrid, EveryStepIsExactlyAKeyAndBack) {
  std::mt19937_64 random(1);
  for (const Bounds& bounds : kBounds) {
    SCOPED_TRACE(testing::Message() << bounds.lower << " to " << bounds.upper);
    const auto grid = float_grid(bounds);
    const mpq_class step = step_of(bounds);
    for (const mpz_class& s : some_steps(grid, random)) {
      const Key64 key = grid.key(s);
      ASSERT_TRUE(kFloat64Grid.admits(key));
      ASSERT_EQ(rational(key), s * step);
      ASSERT_EQ(grid.steps(key), s);
      ASSERT_GE(key, ordered_bits(bounds.lower));
      ASSERT_LE(key, ordered_bits(bounds.upper));
    }
  }
}

TEST(PublicGrid, ValuesAreClampedAndPutOnTheGridByFloor) {
  std::mt19937_64 random(2);
  for (const Bounds& bounds : kBounds) {
    SCOPED_TRACE(testing::Message() << bounds.lower << " to " << bounds.upper);
    const auto grid = float_grid(bounds);
    const mpq_class step = step_of(bounds);
    for (const Key64 key : some_values(bounds, random)) {
      const mpz_class steps = grid.steps(key);
      if (key <= ordered_bits(bounds.lower)) {
        ASSERT_EQ(steps, grid.lower());
      } else if (key >= ordered_bits(bounds.upper)) {
        ASSERT_EQ(steps, grid.upper());
      } else {
        // within the bounds; below the first step only if it is the ceiling of the lower bound
        ASSERT_EQ(steps, std::max(grid.lower(), floor_of(rational(key) / step)));
      }
    }
  }
}

// What counting in the data rests on: a value lies below the key of y exactly if its steps are
// below y, for every y above the first.
TEST(PublicGrid, ComparingKeysIsComparingSteps) {
  std::mt19937_64 random(3);
  for (const Bounds& bounds : kBounds) {
    SCOPED_TRACE(testing::Message() << bounds.lower << " to " << bounds.upper);
    const auto grid = float_grid(bounds);
    const auto values = some_values(bounds, random);
    for (const mpz_class& y : some_steps(grid, random)) {
      if (y == grid.lower()) continue;
      const Key64 threshold = grid.key(y);
      for (std::size_t i = random() % 7; i < values.size(); i += 7) {
        ASSERT_EQ(values[i] < threshold, grid.steps(values[i]) < y);
      }
    }
  }
}

TEST(PublicGrid, RandomBounds) {
  std::mt19937_64 random(4);
  int tried = 0;
  while (tried < 2000) {
    // any two doubles, or two close to each other
    const std::uint64_t first = random(), second = random();
    Key64 a = static_cast<Key64>(first);
    Key64 b = static_cast<Key64>(tried % 2 ? first + (second >> (random() % 63 + 1)) : second);
    if (a > b) std::swap(a, b);
    if (a == -1 || b == -1 || !kFloat64Grid.admits(a) || !kFloat64Grid.admits(b)) continue;
    if (kFloat64Grid.infinity_sign(a) != 0 || kFloat64Grid.infinity_sign(b) != 0) continue;
    ++tried;
    const Bounds bounds{from_ordered_bits(a), from_ordered_bits(b)};
    SCOPED_TRACE(testing::Message() << bounds.lower << " to " << bounds.upper);
    const PublicGrid<Key64> grid(kFloat64Grid, a, b);
    const mpq_class step = step_of(bounds);
    ASSERT_EQ(grid.lower(), ceiling_of(mpq_class(bounds.lower) / step));
    ASSERT_EQ(grid.upper(), floor_of(mpq_class(bounds.upper) / step));
    ASSERT_LE(grid.lower(), grid.upper());
    for (const mpz_class& s :
         {grid.lower(), grid.upper(), mpz_class((grid.lower() + grid.upper()) / 2)}) {
      ASSERT_EQ(rational(grid.key(s)), s * step);
      ASSERT_EQ(grid.steps(grid.key(s)), s);
    }
  }
}

// A real column has the steps of a double column with its bounds.
TEST(PublicGrid, RealColumnsHaveTheStepsOfDoubles) {
  std::mt19937_64 random(5);
  const Bounds reals[] = {{0, 1},
                          {-1, 1},
                          {double{0.1f}, double{0.1f}},
                          {double{-3.7f}, 1024},
                          {0, double{Float::denorm_min()}},
                          {-double{Float::max()}, double{Float::max()}}};
  for (const Bounds& bounds : reals) {
    const auto real = float_grid(bounds, kFloat32Grid), twice = float_grid(bounds);
    EXPECT_EQ(real.lower(), twice.lower());
    EXPECT_EQ(real.upper(), twice.upper());
    for (const mpz_class& s : some_steps(twice, random)) {
      ASSERT_EQ(real.key(s), twice.key(s));
      ASSERT_EQ(real.steps(real.key(s)), s);
    }
  }
}

template <class Key>
void expect_own_steps(const Grid& type, Key lower, Key upper, const std::vector<Key>& inside,
                      const std::vector<Key>& below, const std::vector<Key>& above) {
  const PublicGrid<Key> grid(type, lower, upper);
  EXPECT_EQ(grid.lower(), type.units(lower));
  EXPECT_EQ(grid.upper(), type.units(upper));
  for (const Key& key : {lower, upper}) {
    EXPECT_EQ(grid.steps(key), type.units(key));
    EXPECT_EQ(grid.key(type.units(key)), key);
  }
  for (const Key& key : inside) {
    EXPECT_EQ(grid.steps(key), type.units(key));
    EXPECT_EQ(grid.key(type.units(key)), key);
  }
  for (const Key& key : below) EXPECT_EQ(grid.steps(key), grid.lower());
  for (const Key& key : above) EXPECT_EQ(grid.steps(key), grid.upper());
}

TEST(PublicGrid, ExactTypesKeepTheirOwnSteps) {
  constexpr Key64 kMin = KeyLimits<Key64>::kMin, kMax = KeyLimits<Key64>::kMax;
  expect_own_steps<Key64>(kInt64Grid, -7, 9, {-6, 0, 1, 8}, {-8, kMin}, {10, kMax});
  expect_own_steps<Key64>(kInt64Grid, kMin, kMax, {kMin + 1, -1, 0, kMax - 1}, {}, {});
  expect_own_steps<Key64>({ValueType::kInt16}, -32768, 32767, {-1, 0, 5}, {}, {});
  expect_own_steps<Key64>(kInt64Grid, 4, 4, {}, {3, kMin}, {5, kMax});
  for (const ValueType type : {ValueType::kDate, ValueType::kTimestamp, ValueType::kTimestamptz}) {
    const Grid grid{type};
    expect_own_steps<Key64>(grid, -365, 10000, {-1, 0, 9999}, {-366, grid.infinity<Key64>(-1)},
                            {10001, grid.infinity<Key64>(1)});
    expect_own_steps<Key64>(grid, static_cast<Key64>(grid.min_units()),
                            static_cast<Key64>(grid.max_units()), {0}, {grid.infinity<Key64>(-1)},
                            {grid.infinity<Key64>(1)});
  }
  const Grid narrow = Grid::numeric(9, 2);
  expect_own_steps<Key64>(narrow, -100, 100, {-99, 0}, {-101, narrow.infinity<Key64>(-1)},
                          {101, narrow.infinity<Key64>(1)});
  for (const Grid& wide : {Grid::numeric(30, 5), Grid::plain_numeric()}) {
    expect_own_steps<Key128>(wide, Key128{-3, 5}, Key128{7, 1},
                             {Key128{-3, 6}, Key128{-1, ~std::uint64_t{0}}, Key128{0, 0}},
                             {Key128{-3, 4}, wide.infinity<Key128>(-1)},
                             {Key128{7, 2}, wide.infinity<Key128>(1)});
    expect_own_steps<Key128>(wide, key128(wide.min_units()), key128(wide.max_units()),
                             {Key128{0, 0}}, {wide.infinity<Key128>(-1)},
                             {wide.infinity<Key128>(1)});
  }
}

}  // namespace
}  // namespace idp::test
