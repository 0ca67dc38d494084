// Ordered keys: their order is the order of the values.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/aggregate/spec.h"
#include "core/grid/key.h"

namespace idp::test {
namespace {

using Double = std::numeric_limits<double>;

std::vector<double> doubles() {
  std::vector<double> all{0.0,
                          -0.0,
                          Double::denorm_min(),
                          -Double::denorm_min(),
                          Double::min(),
                          -Double::min(),
                          std::nextafter(Double::min(), 0),
                          Double::max(),
                          Double::lowest(),
                          Double::infinity(),
                          -Double::infinity(),
                          1,
                          -1,
                          std::nextafter(1, 2),
                          std::nextafter(1, 0)};
  std::mt19937_64 random(1);
  while (all.size() < 3000) {
    const auto x = std::bit_cast<double>(random());
    if (!std::isnan(x)) all.push_back(x);
  }
  return all;
}

TEST(OrderedBits, SortAsTheDoublesDo) {
  const std::vector<double> all = doubles();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < std::min<std::size_t>(i + 1, 300); ++j) {
      ASSERT_EQ(all[i] < all[j], ordered_bits(all[i]) < ordered_bits(all[j]))
          << all[i] << " " << all[j];
      ASSERT_EQ(all[i] == all[j], ordered_bits(all[i]) == ordered_bits(all[j]));
    }
  }
}

TEST(OrderedBits, RoundTrip) {
  for (const double x : doubles()) {
    const double back = from_ordered_bits(ordered_bits(x));
    EXPECT_EQ(back, x);
    EXPECT_EQ(std::signbit(back), x < 0);  // -0 comes back as +0
  }
  EXPECT_EQ(ordered_bits(-0.0), 0);
  EXPECT_EQ(ordered_bits(0.0), 0);
  EXPECT_EQ(ordered_bits(Double::denorm_min()), 1);
  EXPECT_EQ(ordered_bits(-Double::denorm_min()), -2);  // -1 would be the second zero
}

TEST(Key128, OrdersAsThe128BitIntegers) {
  std::mt19937_64 random(2);
  std::vector<Int128> all{0, 1, -1, int128(KeyLimits<Key128>::kMin),
                          int128(KeyLimits<Key128>::kMax)};
  for (int i = 0; i < 500; ++i) {
    const Int128 wide = int128(Key128{static_cast<std::int64_t>(random()), random()});
    all.push_back(wide >> (random() % 128));
    all.push_back(Int128{static_cast<std::int64_t>(random() % 5) - 2} << 64);
    all.push_back(all.back() - 1);
  }
  for (const Int128 a : all) {
    ASSERT_TRUE(int128(key128(a)) == a);
    for (const Int128 b : all) {
      ASSERT_EQ(a < b, key128(a) < key128(b));
      ASSERT_EQ(a == b, key128(a) == key128(b));
    }
  }
}

TEST(Key128, WidenAndNarrow) {
  std::mt19937_64 random(3);
  std::vector<Key64> all{0, 1, -1, KeyLimits<Key64>::kMin, KeyLimits<Key64>::kMax};
  for (int i = 0; i < 1000; ++i) all.push_back(static_cast<Key64>(random()) >> (random() % 64));
  for (const Key64 a : all) {
    EXPECT_EQ(narrow(widen(a)), a);
    EXPECT_TRUE(int128(widen(a)) == a);
    EXPECT_EQ(a < all.front(), widen(a) < widen(all.front()));
  }
}

}  // namespace
}  // namespace idp::test
