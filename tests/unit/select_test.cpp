// Selection against sorting.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory_resource>
#include <random>
#include <vector>

#include "core/grid/key.h"
#include "core/select/select.h"
#include "tests/support/data.h"
#include "tests/support/thin.h"

namespace idp::test {
namespace {

template <class Key>
std::vector<Key> select(Runs<Key> runs, std::size_t first, std::size_t count,
                        StopCheck stop = nullptr) {
  std::vector<Key> out(count);
  order_statistics<Key>(runs, static_cast<std::int64_t>(first), out,
                        std::pmr::new_delete_resource(), stop);
  return out;
}

// Selects windows of 1 to 10 ranks at both ends, in the middle and at random places.
template <class Key>
void check(const std::vector<Key>& values, std::mt19937_64& random, int more_windows = 4) {
  const std::size_t n = values.size();
  std::vector<Key> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const std::vector<Key> before = values;
  const auto runs = cut<Key>(values, 1 + static_cast<int>(random() % 4), random);
  const auto expect = [&](std::size_t first, std::size_t count) {
    first = std::clamp<std::size_t>(first, 1, n);
    count = std::min(count, n - first + 1);
    const auto out = select<Key>(runs, first, count);
    const auto from = sorted.begin() + static_cast<std::ptrdiff_t>(first - 1);
    ASSERT_TRUE(std::equal(out.begin(), out.end(), from))
        << "n = " << n << ", first = " << first << ", count = " << count;
  };
  const std::size_t count = 1 + random() % 10;
  expect(1, count);
  expect(n - std::min(n - 1, count - 1), count);
  expect(n / 2, 3);
  for (int i = 0; i < more_windows; ++i) expect(1 + random() % n, 1 + random() % 10);
  ASSERT_TRUE(values == before);
}

using Pattern = std::function<std::int64_t(std::int64_t i, std::int64_t n, std::mt19937_64&)>;

const std::pair<const char*, Pattern> kPatterns[] = {
    {"random", [](auto, auto, auto& r) { return static_cast<std::int64_t>(r()); }},
    {"two values", [](auto, auto, auto& r) { return static_cast<std::int64_t>(r() % 2); }},
    {"many ties", [](auto, auto, auto& r) { return static_cast<std::int64_t>(r() % 10) - 5; }},
    {"all equal", [](auto, auto, auto&) { return std::int64_t{42}; }},
    {"sorted", [](auto i, auto, auto&) { return i; }},
    {"reversed", [](auto i, auto n, auto&) { return n - i; }},
    {"organ pipe", [](auto i, auto n, auto&) { return std::min(i, n - i); }},
    {"period 16", [](auto i, auto, auto&) { return i % 16; }},
    {"the stride of the sample",
     [](auto i, auto n, auto& r) {
       const std::int64_t stride =
           std::max<std::int64_t>(1, n / std::min<std::int64_t>(16384, n / 16 + 1));
       return i % stride == 0 ? -i : static_cast<std::int64_t>(r() % 1000);
     }},
    {"one outlier", [](auto i, auto n, auto&) { return std::int64_t{i == n / 3}; }},
    {"limits",
     [](auto, auto, auto& r) { return r() % 2 ? KeyLimits<Key64>::kMin : KeyLimits<Key64>::kMax; }},
};

template <class Key>
Key as_key(std::int64_t v);
template <>
Key64 as_key(std::int64_t v) {
  return v;
}
template <>
Key128 as_key(std::int64_t v) {
  // equal high words and low words that matter, too
  return {v >> 3, static_cast<std::uint64_t>(v) << 61};
}

template <class Key>
std::vector<Key> make(const Pattern& pattern, std::int64_t n, std::mt19937_64& random) {
  std::vector<Key> values;
  values.reserve(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) values.push_back(as_key<Key>(pattern(i, n, random)));
  return values;
}

template <class Key>
class SelectTest : public ::testing::Test {};
using Keys = ::testing::Types<Key64, Key128>;
TYPED_TEST_SUITE(SelectTest, Keys);

TYPED_TEST(SelectTest, SmallArrays) {
  std::mt19937_64 random(1);
  for (const auto& [name, pattern] : kPatterns) {
    SCOPED_TRACE(name);
    for (int i = 0; i < 400; ++i) {
      check(make<TypeParam>(pattern, static_cast<std::int64_t>(1 + random() % 60), random), random);
    }
    for (int i = 0; i < 20; ++i) {
      check(make<TypeParam>(pattern, static_cast<std::int64_t>(1 + random() % 5000), random),
            random);
    }
  }
}

TYPED_TEST(SelectTest, AroundTheSizeFromWhichASampleIsTaken) {
  std::mt19937_64 random(2);
  for (const auto& [name, pattern] : kPatterns) {
    SCOPED_TRACE(name);
    for (const std::int64_t n : {32767, 32768, 32769, 32770, 40000, 65536}) {
      check(make<TypeParam>(pattern, n, random), random, 8);
    }
  }
}

TYPED_TEST(SelectTest, LargeArrays) {
  std::mt19937_64 random(3);
  for (const auto& [name, pattern] : kPatterns) {
    SCOPED_TRACE(name);
    for (const std::int64_t n : {100000, 262144, 400000}) {
      check(make<TypeParam>(pattern, n / kThin, random), random, 8);
    }
  }
}

TYPED_TEST(SelectTest, ManyRunsSomeOfThemEmpty) {
  std::mt19937_64 random(4);
  const auto values = make<TypeParam>(kPatterns[0].second, 50000, random);
  std::vector<TypeParam> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < 10; ++i) {
    const auto runs = cut<TypeParam>(values, 500, random);
    const std::size_t first = 1 + random() % 49000;
    const auto out = select<TypeParam>(runs, first, 10);
    EXPECT_TRUE(std::equal(out.begin(), out.end(),
                           sorted.begin() + static_cast<std::ptrdiff_t>(first - 1)));
  }
}

int calls = 0;
int stop_after = 0;
bool counting_stop() { return ++calls > stop_after; }

// Data made by someone who knows at which places the sample is taken: there the values say nothing
// about the others, the pivots miss the ranks, and the passes must be repeated.
std::vector<Key64> deceiving(std::int64_t n, std::mt19937_64& random) {
  std::vector<Key64> values(static_cast<std::size_t>(n));
  for (auto& v : values) v = static_cast<Key64>(random() % 2000001) - 1000000;
  const std::int64_t samples = std::min<std::int64_t>(16384, n / 16);
  const auto stride = static_cast<std::uint64_t>(n / samples);
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(samples); ++i) {
    std::uint64_t hash = i * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
    values[i * stride + hash % stride] = static_cast<Key64>(i % 7);
  }
  return values;
}

TEST(Select, DeceivedSample) {
  std::mt19937_64 random(5);
  for (const std::int64_t n : {32769, 200000}) {
    const auto values = deceiving(n, random);
    check(values, random, 20);
    // a window that begins below and ends above all that was sampled
    std::vector<Key64> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const std::span<const Key64> run(values);
    const auto count = static_cast<std::size_t>(n * 3 / 5);
    const auto first = static_cast<std::size_t>(n / 5);
    const auto out = select<Key64>(Runs<Key64>(&run, 1), first, count);
    EXPECT_TRUE(std::equal(out.begin(), out.end(),
                           sorted.begin() + static_cast<std::ptrdiff_t>(first - 1)));
    // Was it deceived? Each pass asks once for 8192 values; one would do otherwise.
    stop_after = 1 << 30;
    calls = 0;
    select<Key64>(Runs<Key64>(&run, 1), first, count, counting_stop);
    EXPECT_GE(calls, 2 * n / 8192);
  }
}

TEST(Select, DeceivedSampleOfMillions) {
  std::mt19937_64 random(6);
  auto values = deceiving(5000000 / (kThin > 1 ? 2 : 1), random);
  check(values, random, 4);
}

TEST(Select, WholeArrayIsASort) {
  std::mt19937_64 random(7);
  for (const std::int64_t n : {1, 2, 1000, 33000}) {
    auto values = make<Key64>(kPatterns[0].second, n, random);
    const std::span<const Key64> run(values);
    const auto out = select<Key64>(Runs<Key64>(&run, 1), 1, values.size());
    std::sort(values.begin(), values.end());
    EXPECT_TRUE(out == values);
  }
}

TEST(Select, StopsWhenAsked) {
  std::mt19937_64 random(8);
  for (const std::int64_t n : {100, 40000, 1000000}) {
    const auto values = make<Key64>(kPatterns[0].second, n, random);
    const std::span<const Key64> run(values);
    const Runs<Key64> runs(&run, 1);
    stop_after = 0;
    calls = 0;
    EXPECT_THROW(select<Key64>(runs, 1, 3, counting_stop), Stopped);
    EXPECT_EQ(calls, 1);
    // how often it asks, and a stop at each of these moments
    stop_after = 1 << 30;
    calls = 0;
    const auto out = select<Key64>(runs, static_cast<std::size_t>(n / 2), 3, counting_stop);
    const int asked = calls;
    EXPECT_GE(asked, static_cast<int>(n * 8 >> 20));
    for (int at = 0; at < asked; at += 1 + asked / 20) {
      stop_after = at;
      calls = 0;
      EXPECT_THROW(select<Key64>(runs, static_cast<std::size_t>(n / 2), 3, counting_stop), Stopped);
    }
    stop_after = asked;
    calls = 0;
    EXPECT_TRUE(select<Key64>(runs, static_cast<std::size_t>(n / 2), 3, counting_stop) == out);
  }
}

template <class Key>
std::vector<Key> select_at(Runs<Key> runs, const std::vector<std::int64_t>& ranks,
                           StopCheck stop = nullptr) {
  std::vector<Key> out(ranks.size());
  order_statistics_at<Key>(runs, ranks, out, std::pmr::new_delete_resource(), stop);
  return out;
}

TYPED_TEST(SelectTest, RanksFarApart) {
  std::mt19937_64 random(9);
  for (const auto& [name, pattern] : kPatterns) {
    SCOPED_TRACE(name);
    for (const std::int64_t n : {1, 50, 32768, 32769, 300000}) {
      const auto values = make<TypeParam>(pattern, n, random);
      std::vector<TypeParam> sorted = values;
      std::sort(sorted.begin(), sorted.end());
      std::vector<std::int64_t> ranks;
      for (std::int64_t rank = 1; rank <= n; rank += 1 + static_cast<std::int64_t>(random() % n)) {
        ranks.push_back(rank);
      }
      const auto out = select_at<TypeParam>(cut<TypeParam>(values, 3, random), ranks);
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        ASSERT_TRUE(out[i] == sorted[static_cast<std::size_t>(ranks[i] - 1)]);
      }
    }
  }
}

// Orders made to mislead a pivot taken from the ends, the middle, or evenly spread places.
std::vector<Key64> misleading(int kind, std::int64_t n) {
  std::vector<Key64> values(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    switch (kind) {
      case 0:  // the killer of the median of three (Musser, 1997)
        values[at] = i < n / 2 ? (i % 2 == 0 ? i : n / 2 + i) : 2 * (i - n / 2);
        break;
      case 1:  // small at all fractions with a small denominator
        values[at] = n - i;
        for (std::int64_t d = 1; d <= 64; ++d) {
          if (static_cast<Int128>(i) * d % (n - 1) < d) values[at] = -i;
        }
        break;
      default:  // small ones in blocks of growing distance
        values[at] = (i & (i >> 3)) % 1024;
    }
  }
  return values;
}

// The number of times it asks is a measure of the work.
TEST(Select, AsksAllTheTimeAndIsLinearWhateverTheOrder) {
  constexpr std::int64_t kBlocks = 300 / kThin, n = kBlocks * 8192;
  std::mt19937_64 random(10);
  for (int kind = -1; kind < 3; ++kind) {
    SCOPED_TRACE(kind);
    const auto values =
        kind < 0 ? make<Key64>(kPatterns[0].second, n, random) : misleading(kind, n);
    std::vector<Key64> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const std::span<const Key64> run(values);
    for (const std::int64_t rank : {std::int64_t{1}, n / 3, n / 2, n}) {
      stop_after = 1 << 30;
      calls = 0;
      EXPECT_EQ(select_at<Key64>(Runs<Key64>(&run, 1), {rank}, counting_stop).front(),
                sorted[static_cast<std::size_t>(rank - 1)]);
      EXPECT_GE(calls, 2 * kBlocks);  // the copy and the first partition
      EXPECT_LE(calls, 30 * kBlocks);
      for (int at = 0, asked = calls; at < asked; at += 1 + asked / 10) {
        stop_after = at;
        calls = 0;
        EXPECT_THROW(select_at<Key64>(Runs<Key64>(&run, 1), {rank}, counting_stop), Stopped);
      }
    }
  }
}

}  // namespace
}  // namespace idp::test
