// Values of many groups, put down as they come and gathered at the end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <new>
#include <random>
#include <vector>

#include "core/collect/backlog.h"
#include "tests/support/thin.h"

namespace idp::test {
namespace {

template <class Key>
Key as_key(std::uint64_t v);
template <>
Key64 as_key(std::uint64_t v) {
  return static_cast<Key64>(v);
}
template <>
Key128 as_key(std::uint64_t v) {
  return {static_cast<std::int64_t>(v >> 7), v};
}

const void* group(std::uint64_t i) {
  return reinterpret_cast<const void*>(0x7f0000000010 + 16 * i);
}

// An arena that fails on demand.
class FailingMemory : public std::pmr::memory_resource {
 public:
  std::size_t allocations_left = SIZE_MAX;

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    EXPECT_LE(alignment, 8u);  // all a server memory context promises
    if (allocations_left == 0) throw std::bad_alloc();
    --allocations_left;
    return arena_.allocate(size, alignment);
  }
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::pmr::monotonic_buffer_resource arena_;
};

template <class Key>
class BacklogTest : public ::testing::Test {};
using Keys = ::testing::Types<Key64, Key128>;
TYPED_TEST_SUITE(BacklogTest, Keys);

template <class Key>
void expect_groups(const Backlog<Key>& backlog,
                   const std::map<const void*, std::vector<Key>>& expected) {
  for (const auto& [name, keys] : expected) {
    const auto found = backlog.of(name);
    ASSERT_TRUE(std::equal(found.begin(), found.end(), keys.begin(), keys.end()));
  }
}

TYPED_TEST(BacklogTest, GathersWhatEachGroupWasGivenInOrder) {
  std::mt19937_64 random(1);
  for (const std::uint64_t groups : {1UL, 2UL, 100UL, 5000UL, 100000UL}) {
    FailingMemory memory;
    auto backlog = std::make_unique<Backlog<TypeParam>>(&memory);
    std::map<const void*, std::vector<TypeParam>> expected;
    for (int i = 0; i < 300000 / kThin; ++i) {
      const void* name = group(random() % groups);
      const auto key = as_key<TypeParam>(random());
      backlog->add(name, key);
      expected[name].push_back(key);
    }
    EXPECT_FALSE(backlog->is_gathered());
    backlog->gather(nullptr);
    EXPECT_TRUE(backlog->is_gathered());
    expect_groups(*backlog, expected);
    EXPECT_TRUE(backlog->of(group(groups + 1)).empty());
    backlog->forget(group(groups + 1));
    backlog->forget(expected.begin()->first);
    expected.begin()->second.clear();
    expect_groups(*backlog, expected);
  }
}

TYPED_TEST(BacklogTest, Empty) {
  FailingMemory memory;
  auto backlog = std::make_unique<Backlog<TypeParam>>(&memory);
  backlog->gather(nullptr);
  EXPECT_TRUE(backlog->of(group(0)).empty());
  backlog->forget(group(0));
  EXPECT_EQ(backlog->bytes(), 0u);
}

int asked = 0;

TYPED_TEST(BacklogTest, StopsAndGoesOn) {
  FailingMemory memory;
  auto backlog = std::make_unique<Backlog<TypeParam>>(&memory);
  std::map<const void*, std::vector<TypeParam>> expected;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    backlog->add(group(i % 3000), as_key<TypeParam>(i));
    expected[group(i % 3000)].push_back(as_key<TypeParam>(i));
  }
  int stops = 0;
  for (asked = 0; !backlog->is_gathered();) {
    try {
      backlog->gather([] { return ++asked % 10 == 0; });
    } catch (const Stopped&) {
      ++stops;
    }
  }
  EXPECT_GT(stops, 20);
  expect_groups(*backlog, expected);
}

TYPED_TEST(BacklogTest, OutOfMemoryLosesNothing) {
  FailingMemory memory;
  auto backlog = std::make_unique<Backlog<TypeParam>>(&memory);
  std::map<const void*, std::vector<TypeParam>> expected;
  std::mt19937_64 random(2);
  for (int i = 0; i < 60000;) {
    memory.allocations_left = random() % 4;
    try {
      for (; i < 60000; ++i) {
        const void* name = group(static_cast<std::uint64_t>(i) % 7001);
        backlog->add(name, as_key<TypeParam>(static_cast<std::uint64_t>(i)));
        expected[name].push_back(as_key<TypeParam>(static_cast<std::uint64_t>(i)));
      }
    } catch (const std::bad_alloc&) {
    }
  }
  while (!backlog->is_gathered()) {
    memory.allocations_left = random() % 4;
    try {
      backlog->gather(nullptr);
    } catch (const std::bad_alloc&) {
    }
  }
  expect_groups(*backlog, expected);
}

}  // namespace
}  // namespace idp::test
