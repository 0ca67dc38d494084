// The quick offsets against the public grid, which computes them in long integers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "core/grid/offsets.h"
#include "core/grid/public_grid.h"
#include "tests/support/data.h"

namespace idp::test {
namespace {

using Double = std::numeric_limits<double>;

static_assert(std::is_trivially_copyable_v<Offsets>);
static_assert(std::is_default_constructible_v<Offsets>);
static_assert(alignof(Offsets) <= 8);

mpz_class offset_of(const Offsets& offsets, Key64 key) {
  return mpz_from_unsigned(offsets.narrow(key));
}
mpz_class offset_of(const Offsets& offsets, Key128 key) {
  return mpz_from_unsigned(offsets.wide(key));
}

template <class Key>
void expect_offsets(const Grid& type, Key lower, Key upper, const std::vector<Key>& keys) {
  const PublicGrid<Key> grid(type, lower, upper);
  const Offsets offsets(type, widen(lower), widen(upper));
  ASSERT_EQ(mpz_from_unsigned(offsets.width()), grid.upper() - grid.lower());
  ASSERT_EQ(offset_of(offsets, lower), 0);
  ASSERT_EQ(offset_of(offsets, upper), mpz_from_unsigned(offsets.width()));
  for (const Key& key : keys) {
    ASSERT_EQ(offset_of(offsets, key), grid.steps(key) - grid.lower())
        << testing::PrintToString(std::is_same_v<Key, Key64> ? type.units(key).get_str() : "wide");
  }
}

// Doubles at, next to and between the bounds, round 0, at multiples of a step, and anywhere.
std::vector<Key64> some_keys(double lower, double upper, std::mt19937_64& random) {
  std::vector<Key64> keys;
  const Key64 minus = ordered_bits(-Double::infinity()), plus = ordered_bits(Double::infinity());
  const auto add = [&](Key64 key) {
    if (key != -1 && key >= minus && key <= plus) keys.push_back(key);  // -1 is no key: minus zero
  };
  const auto add_around = [&](double x) {
    for (Key64 off = -3; off <= 3; ++off) add(ordered_bits(x) + off);
  };
  for (const double x :
       {lower, upper, 0.0, Double::min(), -Double::min(), 1.0, -1.0, 5e-324, -5e-324}) {
    add_around(x);
  }
  add(minus);
  add(plus);
  const double larger = std::max(std::abs(lower), std::abs(upper));
  for (int i = 0; i < 100; ++i) {
    add(static_cast<Key64>(random()));
    const double share = static_cast<double>(random() >> 11) * 0x1p-53;
    add_around(lower * (1 - share) + upper * share);
    // far below the larger bound, down to and beyond a step of it, either sign
    const double small = std::ldexp(larger * (1 - share / 2), -static_cast<int>(random() % 120));
    add_around(small);
    add_around(-small);
    const double step = std::ldexp(larger, -52);
    add_around(step * static_cast<double>(random() % 1000));
    add_around(-step * static_cast<double>(random() % 1000));
  }
  return keys;
}

struct Bounds {
  double lower, upper;
};

TEST(Offsets, OfFloats) {
  const Bounds bounds[] = {{0, 1},
                           {-1, 1},
                           {-1, 0},
                           {-3.7, 1e-9},
                           {-1e-9, 3.7},
                           {0.1, 0.1},
                           {0, 0},
                           {-1, 1e-20},
                           {1e-20, 1},
                           {-1e-20, 1},
                           {1, 0x1.fffffffffffffp+0},
                           {1, 2},
                           {0, Double::denorm_min()},
                           {-Double::denorm_min(), 0},
                           {-Double::denorm_min(), Double::denorm_min()},
                           {0, 5e-310},
                           {-Double::min(), Double::min()},
                           {-Double::min() * 4, Double::min() * 8},
                           {0x1p-1000, 0x1p-998},
                           {-0x1p-971, 0x1p-970},
                           {-0x1.8p51, 0x1.4p52},
                           {-0x1.8p-51, 0x1.4p-50},
                           {-0x1p53, 0x1p53},
                           {-Double::max(), Double::max()},
                           {Double::max(), Double::max()},
                           {-Double::max(), -Double::max()},
                           {-5e-324, Double::max()},
                           {-Double::max(), 5e-324},
                           {1e300, 1e301},
                           {-1e300, 1e-300},
                           {-123456.789, 987654.321}};
  std::mt19937_64 random(1);
  for (const auto& [lower, upper] : bounds) {
    SCOPED_TRACE(testing::Message() << lower << " to " << upper);
    expect_offsets<Key64>(kFloat64Grid, ordered_bits(lower), ordered_bits(upper),
                          some_keys(lower, upper, random));
  }
}

TEST(Offsets, OfFloatsBetweenRandomBounds) {
  std::mt19937_64 random(2);
  int tried = 0;
  while (tried < 3000) {
    const std::uint64_t first = random(), second = random();
    Key64 a = static_cast<Key64>(first);
    Key64 b = static_cast<Key64>(tried % 2 ? first + (second >> (random() % 63 + 1)) : second);
    if (a > b) std::swap(a, b);
    if (a == -1 || b == -1 || !kFloat64Grid.admits(a) || !kFloat64Grid.admits(b)) continue;
    if (kFloat64Grid.infinity_sign(a) != 0 || kFloat64Grid.infinity_sign(b) != 0) continue;
    ++tried;
    const double lower = from_ordered_bits(a), upper = from_ordered_bits(b);
    SCOPED_TRACE(testing::Message() << lower << " to " << upper);
    auto keys = some_keys(lower, upper, random);
    keys.resize(std::min<std::size_t>(keys.size(), 400));
    expect_offsets<Key64>(kFloat64Grid, a, b, keys);
    if (HasFatalFailure()) return;
  }
}

TEST(Offsets, OfReals) {
  std::mt19937_64 random(3);
  for (const auto& [lower, upper] :
       {Bounds{-1, 3}, {double{-3.7f}, double{0.1f}}, {0, double{0x1.fffffep127f}}}) {
    std::vector<Key64> keys;
    for (const Key64 key : some_keys(lower, upper, random)) {
      keys.push_back(ordered_bits(static_cast<double>(static_cast<float>(from_ordered_bits(key)))));
    }
    expect_offsets<Key64>({ValueType::kFloat32}, ordered_bits(lower), ordered_bits(upper), keys);
  }
}

TEST(Offsets, OfExactTypes) {
  constexpr Key64 kMin = KeyLimits<Key64>::kMin, kMax = KeyLimits<Key64>::kMax;
  std::mt19937_64 random(4);
  const Grid grids[] = {{ValueType::kInt16}, {ValueType::kInt32},     kInt64Grid,
                        {ValueType::kDate},  {ValueType::kTimestamp}, {ValueType::kTimestamptz},
                        Grid::numeric(9, 2), Grid::numeric(18, 0),    Grid::numeric(5, -2)};
  for (const Grid& grid : grids) {
    std::vector<Key64> keys{kMin, kMin + 1, -1, 0, 1, kMax - 1, kMax};
    if (grid.has_infinity()) {
      keys.push_back(grid.infinity<Key64>(1));
      keys.push_back(grid.infinity<Key64>(-1));
    }
    for (int i = 0; i < 200; ++i) {
      keys.push_back(static_cast<Key64>(random()) >> (random() % 64));
    }
    expect_offsets<Key64>(grid, -7, 9, keys);
    expect_offsets<Key64>(grid, 4, 4, keys);
    expect_offsets<Key64>(grid, static_cast<Key64>(grid.min_units()),
                          static_cast<Key64>(grid.max_units()), keys);
  }
  EXPECT_TRUE(Offsets(kInt64Grid, widen(kMin), widen(kMax)).width() == ~std::uint64_t{0});
}

TEST(Offsets, OfWideNumerics) {
  std::mt19937_64 random(5);
  for (const Grid& grid : {Grid::numeric(30, 5), Grid::numeric(38, 38), Grid::plain_numeric()}) {
    std::vector<Key128> keys{grid.infinity<Key128>(1), grid.infinity<Key128>(-1), {0, 0}, {-1, 0}};
    for (int i = 0; i < 300; ++i) {
      keys.push_back(key128(int128({static_cast<std::int64_t>(random()), random()}) >>
                            static_cast<int>(random() % 128)));
    }
    const Key128 lowest = key128(grid.min_units()), highest = key128(grid.max_units());
    expect_offsets<Key128>(grid, lowest, highest, keys);
    expect_offsets<Key128>(grid, {-3, 5}, {7, 1}, keys);
    expect_offsets<Key128>(grid, {0, 4}, {0, 4}, keys);
    expect_offsets<Key128>(grid, lowest, {-2, 9}, keys);
  }
}

}  // namespace
}  // namespace idp::test
