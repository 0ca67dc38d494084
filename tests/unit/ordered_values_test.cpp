// The store of an aggregate's values.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory_resource>
#include <new>
#include <random>
#include <vector>

#include "core/collect/ordered_values.h"
#include "core/grid/key.h"

namespace idp::test {
namespace {

// An arena that counts, and fails on demand.
class CountingMemory : public std::pmr::memory_resource {
 public:
  int allocations = 0;
  std::size_t bytes = 0;
  std::size_t largest = 0;
  bool fail = false;

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    if (fail) throw std::bad_alloc();
    ++allocations;
    bytes += size;
    largest = std::max(largest, size);
    EXPECT_LE(alignment, 8u);  // all a server memory context promises
    return arena_.allocate(size, alignment);
  }
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::pmr::monotonic_buffer_resource arena_;
};

template <class Key>
Key make_key(std::uint64_t i);
template <>
Key64 make_key(std::uint64_t i) {
  return static_cast<Key64>(i * 0x9e3779b97f4a7c15u);
}
template <>
Key128 make_key(std::uint64_t i) {
  return {make_key<Key64>(i), i};
}

template <class Key>
void expect_content(const OrderedValues<Key>& values, const std::vector<Key>& expected) {
  ASSERT_EQ(values.size(), static_cast<std::int64_t>(expected.size()));
  std::vector<Key> copy(expected.size());
  values.copy_to(copy.data());
  EXPECT_TRUE(copy == expected);
  const auto runs = values.runs(std::pmr::new_delete_resource());
  EXPECT_EQ(total_size<Key>(runs), values.size());
  std::vector<Key> joined;
  for (const auto& run : runs) joined.insert(joined.end(), run.begin(), run.end());
  EXPECT_TRUE(joined == expected);
}

template <class Key>
class OrderedValuesTest : public ::testing::Test {};
using Keys = ::testing::Types<Key64, Key128>;
TYPED_TEST_SUITE(OrderedValuesTest, Keys);

TYPED_TEST(OrderedValuesTest, EmptyNeedsNoMemory) {
  CountingMemory memory;
  const OrderedValues<TypeParam> values(&memory);
  expect_content(values, {});
  EXPECT_EQ(memory.allocations, 0);
  EXPECT_TRUE(values.runs(std::pmr::new_delete_resource()).empty());
}

TYPED_TEST(OrderedValuesTest, AddOneByOne) {
  CountingMemory memory;
  OrderedValues<TypeParam> values(&memory);
  std::vector<TypeParam> expected;
  for (std::uint64_t i = 0; i < 300000; ++i) {
    values.add(make_key<TypeParam>(i));
    expected.push_back(make_key<TypeParam>(i));
    // around the ends of the first chunks
    if (i < 5 || (i > 250 && i < 260) || (i > 505 && i < 515)) expect_content(values, expected);
  }
  expect_content(values, expected);
  // chunks double from 4 KiB to 1 MiB and stay there
  const std::size_t total = expected.size() * sizeof(TypeParam);
  EXPECT_LE(memory.allocations, 9 + static_cast<int>(total >> 20) + 1);
  EXPECT_LE(memory.bytes, 2 * total + 4096);
  EXPECT_LE(memory.largest, OrderedValues<TypeParam>::kMaxChunkBytes);
}

TYPED_TEST(OrderedValuesTest, AddPackedAtAnyAlignment) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20; ++round) {
    CountingMemory memory;
    OrderedValues<TypeParam> values(&memory);
    std::vector<TypeParam> expected;
    for (int piece = 0; piece < 12; ++piece) {
      if (random() % 2 == 0) {
        values.add(make_key<TypeParam>(random()));
        TypeParam last[1];
        const auto runs = values.runs(std::pmr::new_delete_resource());
        last[0] = runs.back().back();
        expected.push_back(last[0]);
      }
      const std::size_t count = random() % 3 == 0 ? random() % 20000 : random() % 4;
      const std::size_t shift = random() % 16;
      std::vector<char> packed(shift + count * sizeof(TypeParam));
      for (std::size_t i = 0; i < count; ++i) {
        const auto key = make_key<TypeParam>(random());
        std::memcpy(packed.data() + shift + i * sizeof(TypeParam), &key, sizeof key);
        expected.push_back(key);
      }
      values.add_packed(packed.data() + shift, count);
    }
    expect_content(values, expected);
  }
}

TYPED_TEST(OrderedValuesTest, ValuesArePutWhereThereIsRoom) {
  std::pmr::monotonic_buffer_resource memory;
  OrderedValues<TypeParam> values(&memory);
  EXPECT_TRUE(values.room().empty());
  std::vector<TypeParam> expected;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    if (values.room().empty()) {
      values.add(make_key<TypeParam>(i));
      expected.push_back(make_key<TypeParam>(i));
      continue;
    }
    const std::size_t count = std::min<std::size_t>(values.room().size(), 3);
    for (std::size_t j = 0; j < count; ++j) {
      const auto key = make_key<TypeParam>(i * 3 + j);
      values.room()[j] = key;
      expected.push_back(key);
    }
    values.put(count);
  }
  expect_content(values, expected);
}

TYPED_TEST(OrderedValuesTest, ASmallGroupStaysSmall) {
  CountingMemory memory;
  OrderedValues<TypeParam> values(&memory);
  values.add(make_key<TypeParam>(1));
  EXPECT_EQ(memory.allocations, 1);
  EXPECT_EQ(memory.bytes, 4096u);
}

int asked = 0;
bool third_time() { return ++asked == 3; }

TYPED_TEST(OrderedValuesTest, StoppedWhileDividingItGoesOn) {
  std::pmr::monotonic_buffer_resource memory;
  OrderedValues<TypeParam> values(&memory);
  std::vector<TypeParam> expected;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    expected.push_back(make_key<TypeParam>(i));
    values.add(expected.back());
  }
  asked = 0;
  const auto to = OrderedValues<TypeParam>::To::kMemory;
  EXPECT_THROW(values.divide_all(to, third_time), Stopped);
  EXPECT_TRUE(values.is_divided());
  EXPECT_EQ(values.size(), 100000);
  std::vector<TypeParam> copy(expected.size());
  asked = 0;
  EXPECT_THROW(values.copy_to(copy.data(), third_time), Stopped);
  values.divide_all(to, third_time);
  EXPECT_EQ(total_size<TypeParam>(values.runs(&memory)), 0);
  values.copy_to(copy.data());
  std::sort(copy.begin(), copy.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_TRUE(copy == expected);
}

TYPED_TEST(OrderedValuesTest, OutOfMemoryKeepsWhatThereIs) {
  CountingMemory memory;
  OrderedValues<TypeParam> values(&memory);
  memory.fail = true;
  EXPECT_THROW(values.add(make_key<TypeParam>(0)), std::bad_alloc);
  expect_content(values, {});
  memory.fail = false;
  std::vector<TypeParam> expected;
  while (memory.allocations < 2) {
    expected.push_back(make_key<TypeParam>(expected.size()));
    values.add(expected.back());
  }
  memory.fail = true;
  try {
    for (;;) {
      const auto key = make_key<TypeParam>(expected.size());
      values.add(key);
      expected.push_back(key);
    }
  } catch (const std::bad_alloc&) {
  }
  expect_content(values, expected);
  memory.fail = false;
  expected.push_back(make_key<TypeParam>(7));
  values.add(expected.back());
  expect_content(values, expected);
}

}  // namespace
}  // namespace idp::test
