// Divided runs, in memory and in files, against sorting.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory_resource>
#include <random>
#include <string>
#include <vector>

#include "core/collect/divided_values.h"
#include "core/collect/ordered_values.h"
#include "tests/support/storage.h"
#include "tests/support/thin.h"

namespace idp::test {
namespace {

std::pmr::memory_resource* heap() { return std::pmr::new_delete_resource(); }

using Pattern = std::function<std::int64_t(std::int64_t i, std::int64_t n, std::mt19937_64&)>;

const std::pair<const char*, Pattern> kPatterns[] = {
    {"random", [](auto, auto, auto& r) { return static_cast<std::int64_t>(r()); }},
    {"all equal", [](auto, auto, auto&) { return std::int64_t{42}; }},
    {"two values", [](auto, auto, auto& r) { return static_cast<std::int64_t>(r() % 2); }},
    {"few values", [](auto, auto, auto& r) { return static_cast<std::int64_t>(r() % 90); }},
    {"some values", [](auto, auto, auto& r) { return static_cast<std::int64_t>(r() % 3000); }},
    {"half of them zero",
     [](auto, auto, auto& r) {
       return r() % 2 ? 0 : static_cast<std::int64_t>(r() % 100000) - 50000;
     }},
    {"a long tail",
     [](auto, auto, auto& r) {
       return static_cast<std::int64_t>(1e6 / (1.0 + static_cast<double>(r() % 100000)));
     }},
    {"sorted", [](auto i, auto, auto&) { return i; }},
    {"reversed", [](auto i, auto n, auto&) { return n - i; }},
    {"sorted in pieces", [](auto i, auto, auto&) { return i % 5000; }},
    {"growing",
     [](auto i, auto, auto& r) {
       return static_cast<std::int64_t>(r() % static_cast<std::uint64_t>(i + 1));
     }},
    // the sample of a chunk of 2^k keys sees only zeros, or nearly
    {"what the sample misses",
     [](auto i, auto, auto& r) {
       const std::uint64_t j = static_cast<std::uint64_t>(i) % 4094 / 16;
       std::uint64_t hash = j * 0x9e3779b97f4a7c15u;
       hash ^= hash >> 32;
       return static_cast<std::uint64_t>(i) % 4094 % 16 == hash % 16
                  ? std::int64_t{0}
                  : static_cast<std::int64_t>(r() % 1000000);
     }},
    {"limits",
     [](auto, auto, auto& r) {
       const auto v = r() % 8;
       return v < 3   ? KeyLimits<Key64>::kMin
              : v < 6 ? KeyLimits<Key64>::kMax
                      : static_cast<std::int64_t>(r());
     }},
};

template <class Key>
Key as_key(std::int64_t v);
template <>
Key64 as_key(std::int64_t v) {
  return v;
}
template <>
Key128 as_key(std::int64_t v) {
  if (v == KeyLimits<Key64>::kMin) return KeyLimits<Key128>::kMin;
  if (v == KeyLimits<Key64>::kMax) return KeyLimits<Key128>::kMax;
  return {v >> 3, static_cast<std::uint64_t>(v) << 61};
}

template <class Key>
std::vector<Key> make(const Pattern& pattern, std::int64_t n, std::mt19937_64& random) {
  std::vector<Key> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(as_key<Key>(pattern(i, n, random)));
  return values;
}

template <class Key>
class DividedValuesTest : public ::testing::Test {};
using Keys = ::testing::Types<Key64, Key128>;
TYPED_TEST_SUITE(DividedValuesTest, Keys);

template <class Key>
void expect_same(const Values<Key>& values, const std::vector<Key>& sorted,
                 std::mt19937_64& random) {
  const auto n = static_cast<std::int64_t>(sorted.size());
  ASSERT_EQ(values.size(), n);
  const auto expect = [&](std::int64_t first, std::int64_t count) {
    first = std::clamp<std::int64_t>(first, 1, n);
    std::vector<Key> out(static_cast<std::size_t>(std::min(count, n - first + 1)));
    values.order_statistics(first, out);
    ASSERT_TRUE(std::equal(out.begin(), out.end(), sorted.begin() + (first - 1)))
        << "n = " << n << ", first = " << first << ", count = " << out.size();
  };
  expect(1, 1);
  expect(n, 1);
  expect(n / 2, 3);
  expect(1, 65);
  expect(n - 64, 65);
  expect(n / 3, n / 3 + 1);
  for (int i = 0; i < 4; ++i) {
    expect(1 + static_cast<std::int64_t>(random() % sorted.size()),
           1 + static_cast<std::int64_t>(random() % 10));
  }
  std::vector<Key> all;
  values.for_each([&](const Key& key, std::int64_t count) {
    all.insert(all.end(), static_cast<std::size_t>(count), key);
  });
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all, sorted);
  std::vector<std::int64_t> ranks;
  for (std::int64_t rank = 1; rank <= n;
       rank += 1 + static_cast<std::int64_t>(random()) % (n / 5 + 1)) {
    if (rank < 1) break;
    ranks.push_back(rank);
  }
  std::vector<Key> out(ranks.size());
  values.order_statistics_at(ranks, out);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ASSERT_EQ(out[i], sorted[static_cast<std::size_t>(ranks[i] - 1)]);
  }
  for (int i = 0; i < 6; ++i) {
    Key threshold = sorted[random() % sorted.size()];
    if (i == 0) threshold = KeyLimits<Key>::kMin;
    if (i == 1) threshold = KeyLimits<Key>::kMax;
    if (i == 2) threshold = as_key<Key>(static_cast<std::int64_t>(random() % 100000));
    ASSERT_EQ(values.count_below(threshold),
              std::lower_bound(sorted.begin(), sorted.end(), threshold) - sorted.begin());
  }
}

template <class Key>
std::vector<Key> contents(const OrderedValues<Key>& values) {
  std::vector<Key> all(static_cast<std::size_t>(values.size()));
  values.copy_to(all.data());
  std::sort(all.begin(), all.end());
  return all;
}

// Values kept in every way there is, and asked everything.
template <class Key>
void check(const std::vector<Key>& data, std::size_t limit, std::mt19937_64& random) {
  std::vector<Key> sorted = data;
  std::sort(sorted.begin(), sorted.end());
  LimitedStorage storage(limit);
  OrderedValues<Key> values(heap(), &storage);
  for (const Key& key : data) values.add(key);
  ASSERT_EQ(contents(values), sorted);
  if (random() % 2) values.divide_all(OrderedValues<Key>::To::kFile);
  values.divide_all(OrderedValues<Key>::To::kMemory);
  ASSERT_EQ(contents(values), sorted);
  EXPECT_EQ(storage.taken, values.taken());
  const auto runs = values.divided_runs(heap());
  expect_same<Key>(DividedValues<Key>(runs, heap(), &storage, nullptr), sorted, random);
  expect_same<Key>(DividedValues<Key>(runs, heap(), nullptr, nullptr), sorted, random);
  values.clear();
  EXPECT_EQ(storage.taken, 0u);
}

TYPED_TEST(DividedValuesTest, SmallData) {
  std::mt19937_64 random(1);
  for (const auto& [name, pattern] : kPatterns) {
    SCOPED_TRACE(name);
    for (int i = 0; i < 60 / kThin; ++i) {
      check(make<TypeParam>(pattern, static_cast<std::int64_t>(1 + random() % 3000), random), 1,
            random);
    }
  }
}

TYPED_TEST(DividedValuesTest, LargerData) {
  std::mt19937_64 random(2);
  for (const auto& [name, pattern] : kPatterns) {
    SCOPED_TRACE(name);
    for (const std::size_t limit : {1UL << 14, 1UL << 17, 1UL << 20, 1UL << 30}) {
      check(make<TypeParam>(pattern, 80000 / kThin, random), limit, random);
    }
  }
}

// Values that come many times at once, among others.
TYPED_TEST(DividedValuesTest, RepeatedValues) {
  std::mt19937_64 random(8);
  bool any_had_none = false;
  for (const auto& [name, pattern] : kPatterns) {
    SCOPED_TRACE(name);
    for (const std::size_t limit : {1UL << 12, 1UL << 14, 1UL << 30}) {
      LimitedStorage storage(limit);
      OrderedValues<TypeParam> values(heap(), &storage);
      std::vector<TypeParam> sorted;
      bool had_no_room = false;
      for (const auto& key : make<TypeParam>(pattern, 3000 / kThin, random)) {
        const auto times = static_cast<std::int64_t>(1 + random() % 40);
        const bool is_tried = random() % 3 != 0;
        const bool is_repeated = is_tried && values.add_repeated(key, times);
        had_no_room = had_no_room || (is_tried && !is_repeated);
        if (!is_repeated) values.add(key);
        sorted.insert(sorted.end(), is_repeated ? static_cast<std::size_t>(times) : 1, key);
        ASSERT_EQ(values.size(), static_cast<std::int64_t>(sorted.size()));
      }
      EXPECT_FALSE(had_no_room && limit == 1UL << 30);
      any_had_none = any_had_none || had_no_room;
      std::sort(sorted.begin(), sorted.end());
      ASSERT_EQ(contents(values), sorted);
      values.divide_all(OrderedValues<TypeParam>::To::kMemory);
      const auto runs = values.divided_runs(heap());
      expect_same<TypeParam>(DividedValues<TypeParam>(runs, heap(), &storage, nullptr), sorted,
                             random);
      EXPECT_EQ(storage.taken, values.taken());
      values.clear();
      EXPECT_EQ(storage.taken, 0u);
    }
  }
  EXPECT_TRUE(any_had_none);
}

TYPED_TEST(DividedValuesTest, TheSameValueAgainNeedsNoMemory) {
  LimitedStorage storage(1 << 10);
  OrderedValues<TypeParam> values(heap(), &storage);
  constexpr std::int64_t kTimes = std::int64_t{1} << 40;
  ASSERT_TRUE(values.add_repeated(as_key<TypeParam>(5), kTimes));
  const std::size_t taken = storage.taken;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(values.add_repeated(as_key<TypeParam>(5), kTimes));
  EXPECT_EQ(values.size(), 1001 * kTimes);
  EXPECT_EQ(storage.taken, taken);
  int added = 0;
  while (values.add_repeated(as_key<TypeParam>(6 + added), 1)) ++added;
  EXPECT_LE(storage.taken, storage.limit());
  EXPECT_GT(added, 1);
  EXPECT_EQ(values.size(), 1001 * kTimes + added);
  values.clear();
}

// So much data and so little memory that what the splitters leave open has to be divided again.
TYPED_TEST(DividedValuesTest, DividedAgainWhenThereIsTooMuchToHold) {
  std::mt19937_64 random(3);
  for (const auto& [name, pattern] : kPatterns) {
    SCOPED_TRACE(name);
    LimitedStorage storage(4096);
    OrderedValues<TypeParam> values(heap(), &storage);
    auto data = make<TypeParam>(pattern, 300000 / kThin, random);
    for (const auto& key : data) values.add(key);
    values.divide_all(OrderedValues<TypeParam>::To::kMemory);
    std::sort(data.begin(), data.end());
    const auto runs = values.divided_runs(heap());
    expect_same<TypeParam>(DividedValues<TypeParam>(runs, heap(), &storage, nullptr), data, random);
    values.clear();
  }
}

TYPED_TEST(DividedValuesTest, MemoryStaysWithinTheLimit) {
  std::mt19937_64 random(4);
  const std::size_t limit = 1 << 20;
  LimitedStorage storage(limit);
  OrderedValues<TypeParam> values(heap(), &storage);
  std::size_t most = 0;
  for (int i = 0; i < 2000000; ++i) {
    values.add(as_key<TypeParam>(static_cast<std::int64_t>(random())));
    most = std::max(most, storage.taken);
  }
  // splitters grow with the values: at most three words and a key for every 64 keys
  EXPECT_LE(most, limit + 2000000 / 64 * (16 + sizeof(TypeParam)) + 8192);
  EXPECT_GE(storage.contents().size(), 1000000 * sizeof(TypeParam));
  values.clear();
}

TYPED_TEST(DividedValuesTest, AMedianReadsFewBuckets) {
  std::mt19937_64 random(5);
  LimitedStorage storage(1 << 20);
  OrderedValues<TypeParam> values(heap(), &storage);
  for (int i = 0; i < 2000000; ++i)
    values.add(as_key<TypeParam>(static_cast<std::int64_t>(random())));
  values.divide_all(OrderedValues<TypeParam>::To::kFile);
  const auto runs = values.divided_runs(heap());
  TypeParam out[3];
  DividedValues<TypeParam>(runs, heap(), &storage, nullptr).order_statistics(1000000, out);
  EXPECT_LE(storage.contents().bytes_read, storage.contents().size() / 20);
  values.clear();
}

TYPED_TEST(DividedValuesTest, FewValuesNeedNoMemory) {
  std::mt19937_64 random(6);
  LimitedStorage storage(std::size_t{1} << 40);
  OrderedValues<TypeParam> values(heap(), &storage);
  for (int i = 0; i < 3000000; ++i) {
    values.add(as_key<TypeParam>(static_cast<std::int64_t>(random() % 100)));
  }
  EXPECT_LE(storage.taken, std::size_t{1} << 19);
  EXPECT_EQ(storage.contents().size(), 0u);
  values.clear();
}

TYPED_TEST(DividedValuesTest, ValuesOfOthers) {
  std::mt19937_64 random(7);
  for (const auto& [name, pattern] : kPatterns) {
    SCOPED_TRACE(name);
    LimitedStorage storage(1 << 16);
    OrderedValues<TypeParam> all(heap(), &storage);
    std::vector<TypeParam> sorted;
    for (int part = 0; part < 4; ++part) {
      OrderedValues<TypeParam> values(heap(), &storage);
      const auto data = make<TypeParam>(pattern, 20000, random);
      for (const auto& key : data) values.add(key);
      if (part == 1) values.divide_all(OrderedValues<TypeParam>::To::kFile);
      if (part == 2) values.divide_all(OrderedValues<TypeParam>::To::kMemory);
      all.add_all(values);
      values.clear();
      sorted.insert(sorted.end(), data.begin(), data.end());
    }
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(contents(all), sorted);
    all.divide_all(OrderedValues<TypeParam>::To::kMemory);
    const auto runs = all.divided_runs(heap());
    expect_same<TypeParam>(DividedValues<TypeParam>(runs, heap(), &storage, nullptr), sorted,
                           random);
    all.clear();
  }
}

TYPED_TEST(DividedValuesTest, EveryBucketIsSmall) {
  std::mt19937_64 random(8);
  for (const auto& [name, pattern] : kPatterns) {
    SCOPED_TRACE(name);
    for (const std::size_t n : {4094UL, 16384UL, 131070UL}) {
      const auto data = make<TypeParam>(pattern, static_cast<std::int64_t>(n), random);
      std::vector<char> area(DivisionSpace<TypeParam>::bytes(n));
      const auto space = DivisionSpace<TypeParam>::in(area.data(), n);
      Splitter<TypeParam> splitters[kMostSplitters];
      DividedRun<TypeParam> run;
      run.splitters = {splitters, divide<TypeParam>(data, space, splitters, run.loose)};
      EXPECT_EQ(run.size(), static_cast<std::int64_t>(n));
      for (std::size_t i = 0; i <= run.splitters.size(); ++i) {
        EXPECT_LE(run.end_of(i) - run.begin_of(i), static_cast<std::int64_t>(n / 7));
      }
    }
  }
}

bool always() { return true; }

TYPED_TEST(DividedValuesTest, StopsAndCanBeAskedAgain) {
  std::mt19937_64 random(9);
  LimitedStorage storage(1 << 14);
  OrderedValues<TypeParam> values(heap(), &storage);
  for (int i = 0; i < 50000; ++i)
    values.add(as_key<TypeParam>(static_cast<std::int64_t>(random())));
  values.divide_all(OrderedValues<TypeParam>::To::kMemory);
  const auto runs = values.divided_runs(heap());
  TypeParam out[1];
  const DividedValues<TypeParam> asked(runs, heap(), &storage, always);
  EXPECT_THROW(asked.order_statistics(25000, out), Stopped);
  EXPECT_THROW(asked.count_below(as_key<TypeParam>(0)), Stopped);
  values.clear();
}

}  // namespace
}  // namespace idp::test
