// The set of different values against std::set, and what it costs.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <memory_resource>
#include <random>
#include <set>
#include <vector>

#include "core/collect/distinct_values.h"

namespace idp::test {
namespace {

// Counts what is allocated at most at a time, and frees what is left: the set has no destructor.
class Meter final : public std::pmr::memory_resource {
 public:
  std::size_t most = 0;
  std::size_t now = 0;

  Meter() = default;
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;
  ~Meter() override {
    for (const auto& [p, bytes] : live_) upstream()->deallocate(p, bytes);
  }

 private:
  static std::pmr::memory_resource* upstream() { return std::pmr::new_delete_resource(); }

  void* do_allocate(std::size_t bytes, std::size_t) override {
    most = std::max(most, now += bytes);
    void* p = upstream()->allocate(bytes);
    live_[p] = bytes;
    return p;
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t) override {
    now -= bytes;
    live_.erase(p);
    upstream()->deallocate(p, bytes);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::map<void*, std::size_t> live_;
};

template <class Key>
std::vector<Key> contents(const DistinctValues<Key>& values) {
  std::vector<Key> all(static_cast<std::size_t>(values.size()));
  values.copy_to(all.data());
  std::sort(all.begin(), all.end());
  return all;
}

template <class Key, class Draw>
void compare(Draw draw) {
  std::pmr::monotonic_buffer_resource memory;
  DistinctValues<Key> values(&memory);
  std::set<Key> truth;
  for (int i = 0; i < 20000; ++i) {
    const Key key = draw();
    values.add(key);
    truth.insert(key);
    if (i % 997 == 0) {
      ASSERT_EQ(values.size(), static_cast<std::int64_t>(truth.size()));
    }
  }
  EXPECT_EQ(contents(values), std::vector<Key>(truth.begin(), truth.end()));
}

TEST(DistinctValues, AsASet) {
  std::mt19937_64 random(1);
  for (const int bits : {1, 5, 10, 14, 40, 64}) {
    compare<Key64>([&] { return static_cast<Key64>(random()) >> (64 - bits); });
    compare<Key64>([&] { return static_cast<Key64>(random() << (64 - bits)); });  // high bits only
    compare<Key128>([&] {
      const auto part = random() >> (64 - bits);
      return random() % 2 ? Key128{static_cast<std::int64_t>(part), 0} : Key128{0, part};
    });
  }
  compare<Key64>([&] {
    const Key64 ends[] = {0, -1, 1, KeyLimits<Key64>::kMin, KeyLimits<Key64>::kMax};
    return ends[random() % 5];
  });
}

TEST(DistinctValues, NothingAndZero) {
  Meter memory;
  DistinctValues<Key64> values(&memory);
  EXPECT_EQ(values.size(), 0);
  EXPECT_TRUE(contents(values).empty());
  values.add(0);
  values.add(0);
  EXPECT_EQ(values.size(), 1);
  EXPECT_EQ(contents(values), std::vector<Key64>{0});
  EXPECT_EQ(memory.most, 0U);
}

TEST(DistinctValues, PackedKeysAtAnyAlignment) {
  std::pmr::monotonic_buffer_resource memory;
  DistinctValues<Key128> values(&memory);
  const std::vector<Key128> keys{{1, 2}, {0, 0}, {1, 2}, {-1, 5}};
  std::vector<char> bytes(1 + keys.size() * sizeof(Key128));
  std::memcpy(bytes.data() + 1, keys.data(), keys.size() * sizeof(Key128));
  values.add_packed(bytes.data() + 1, keys.size());
  EXPECT_EQ(contents(values), (std::vector<Key128>{{-1, 5}, {0, 0}, {1, 2}}));
}

// What the documentation says: 11 to 22 bytes for each value, half as much again while growing,
// however many rows there are.
TEST(DistinctValues, Memory) {
  Meter memory;
  DistinctValues<Key64> values(&memory);
  for (int round = 0; round < 3; ++round) {
    for (Key64 key = 1; key <= 1000000; ++key) values.add(key << 20);
  }
  EXPECT_EQ(values.size(), 1000000);
  EXPECT_LE(memory.now, 22U * 1000000);
  EXPECT_GE(memory.now, 10U * 1000000);
  EXPECT_LE(memory.most, 33U * 1000000);
}

}  // namespace
}  // namespace idp::test
