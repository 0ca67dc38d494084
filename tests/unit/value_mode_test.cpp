// Modes of collected values and strings: against counting by hand; strings as keys, in any order.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/collect/string_keys.h"
#include "core/mechanism/mode.h"
#include "core/mechanism/value_mode.h"
#include "core/random/system_bits.h"
#include "tests/support/bits.h"
#include "tests/support/data.h"

namespace idp::test {
namespace {

const Workspace kSpace{std::pmr::new_delete_resource()};
// No draw is left to chance: the mode, wherever there is an answer.
constexpr double kCertain = 1e6;

std::vector<Key128> keys_of(const std::string& string) {
  std::vector<Key128> keys(kMostStringKeys);
  keys.resize(string_keys(string, keys.data()));
  return keys;
}

std::string random_string(std::mt19937_64& random, std::size_t most) {
  std::string string(random() % (most + 1), ' ');
  for (char& c : string) c = static_cast<char>(1 + random() % 255);
  return string;
}

TEST(StringKeys, TellTheStringInAnyOrder) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    const std::string string = random_string(random, i % 10 == 0 ? kMostStringBytes : 9);
    std::vector<Key128> keys = keys_of(string);
    EXPECT_EQ(keys.size(), std::max<std::size_t>(1, (string.size() + 3) / 4));
    std::shuffle(keys.begin(), keys.end(), random);
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(place_of(keys.front()), 0u);
    EXPECT_TRUE(same_string(keys.front(), keys.back()));
    EXPECT_EQ(string_of(keys), string);
  }
}

TEST(StringKeys, OfDifferentStringsDiffer) {
  std::set<Key128> heads;
  for (int i = 0; i < 50000; ++i) {
    Key128 head = keys_of("the same beginning " + std::to_string(i)).front();
    head.low &= ~std::uint64_t{0xffffffffff};
    EXPECT_TRUE(heads.insert(head).second);
  }
}

TEST(ValueMode, IsTheOneOfTheCounts) {
  std::mt19937_64 random(2);
  int answered = 0, suppressed = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::map<std::string, std::int64_t> counts;
    std::vector<Key64> numbers;
    std::vector<Key128> strings;
    for (auto n = random() % 25; n > 0; --n) {
      const auto v = static_cast<Key64>(random() % 4);
      const std::string string(static_cast<std::size_t>(v) * 3, 'x');
      ++counts[string];
      numbers.push_back(v);
      for (const Key128& key : keys_of(string)) strings.push_back(key);
    }
    std::shuffle(strings.begin(), strings.end(), random);
    std::vector<std::int64_t> ascending;
    std::vector<std::string> names;
    for (const auto& [name, count] : counts) {
      names.push_back(name);
      ascending.push_back(count);
    }
    const auto range = mode_range(ascending, Domain::kOpen);
    const std::span<const Key64> run(numbers);
    const std::span<const Key128> wide(strings);
    const auto number = value_mode(in_memory<Key64>({&run, 1}), kCertain, kSpace, system_bits());
    const auto string = string_mode(in_memory<Key128>({&wide, 1}), kCertain, kSpace, system_bits());
    ASSERT_EQ(number.has_value(), range.has_value());
    ASSERT_EQ(string.has_value(), range.has_value());
    (range ? answered : suppressed) += 1;
    if (!range) continue;
    const std::string& mode = names[range->values[range->mode]];
    EXPECT_EQ(*string, mode);
    EXPECT_EQ(static_cast<std::size_t>(*number) * 3, mode.size());
  }
  EXPECT_GT(answered, 1000);
  EXPECT_GT(suppressed, 300);
}

TEST(ListedMode, CountsTheDomainAlone) {
  const std::vector<Key64> values{1, 1, 1, 5, 5, 9, 9, 9, 9};
  const std::span<const Key64> run(values);
  const auto data = in_memory<Key64>({&run, 1});
  const std::vector<Key64> domain{7, 5, 1};
  EXPECT_EQ(listed_mode<Key64>(data, domain, kCertain, kSpace, system_bits()), 2u);
  // as permute_and_flip() of the counts draws
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SeededBits one(seed), two(seed);
    const std::vector<std::int64_t> counts{0, 2, 3};
    EXPECT_EQ(listed_mode<Key64>(data, domain, 0.5, kSpace, one),
              permute_and_flip(counts, 0.5, two));
  }
}

}  // namespace
}  // namespace idp::test
