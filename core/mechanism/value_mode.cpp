#include "core/mechanism/value_mode.h"

#include <algorithm>
#include <memory_resource>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/collect/string_keys.h"
#include "core/mechanism/mode.h"

namespace idp {

namespace {

struct KeyHash {
  std::size_t operator()(Key64 key) const {
    std::uint64_t x = static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15u;
    return x ^ (x >> 32);
  }
  std::size_t operator()(const Key128& key) const {
    return (*this)(
        static_cast<Key64>(static_cast<std::uint64_t>(key.high) ^ key.low * 0xbf58476d1ce4e5b9u));
  }
};

template <class Key>
using CountedKeys = std::pmr::vector<std::pair<Key, std::int64_t>>;

// Ascending.
template <class Key>
CountedKeys<Key> count_keys(const Values<Key>& values, const Workspace& space) {
  std::pmr::unordered_map<Key, std::int64_t, KeyHash> counts(space.memory);
  values.for_each([&](const Key& key, std::int64_t count) { counts[key] += count; });
  CountedKeys<Key> ascending(counts.begin(), counts.end(), space.memory);
  stop_if_asked(space.stop);
  std::sort(ascending.begin(), ascending.end());
  return ascending;
}

std::optional<std::size_t> draw(const std::vector<std::int64_t>& counts, double epsilon,
                                BitSource& bits) {
  const std::optional<ModeRange> range = mode_range(counts, Domain::kOpen);
  if (!range) return std::nullopt;
  return draw_mode(*range, epsilon, bits);
}

}  // namespace

template <class Key>
std::optional<Key> value_mode(const Values<Key>& values, double epsilon, const Workspace& space,
                              BitSource& bits) {
  const CountedKeys<Key> counted = count_keys(values, space);
  std::vector<std::int64_t> counts;
  counts.reserve(counted.size());
  for (const auto& [key, count] : counted) counts.push_back(count);
  const auto drawn = draw(counts, epsilon, bits);
  return drawn ? std::optional<Key>(counted[*drawn].first) : std::nullopt;
}

std::optional<std::string> string_mode(const Values<Key128>& keys, double epsilon,
                                       const Workspace& space, BitSource& bits) {
  const CountedKeys<Key128> counted = count_keys(keys, space);
  std::vector<std::pair<std::string, std::int64_t>> strings;
  std::vector<Key128> of_one;
  for (std::size_t i = 0; i < counted.size();) {
    const std::size_t first = i;
    std::int64_t count = 0;
    of_one.clear();
    for (; i < counted.size() && same_string(counted[first].first, counted[i].first); ++i) {
      of_one.push_back(counted[i].first);
      if (place_of(counted[i].first) == 0) count += counted[i].second;
    }
    strings.emplace_back(string_of(of_one), count);
  }
  std::sort(strings.begin(), strings.end());
  std::vector<std::int64_t> counts;
  for (const auto& [string, count] : strings) counts.push_back(count);
  const auto drawn = draw(counts, epsilon, bits);
  return drawn ? std::optional<std::string>(strings[*drawn].first) : std::nullopt;
}

template <class Key>
std::size_t listed_mode(const Values<Key>& values, std::span<const Key> domain, double epsilon,
                        const Workspace& space, BitSource& bits, Neighbours neighbours) {
  std::pmr::unordered_map<Key, std::size_t, KeyHash> places(space.memory);
  for (std::size_t i = 0; i < domain.size(); ++i) places.emplace(domain[i], i);
  std::vector<std::int64_t> counts(domain.size());
  values.for_each([&](const Key& key, std::int64_t count) {
    const auto place = places.find(key);
    if (place != places.end()) counts[place->second] += count;
  });
  return permute_and_flip(counts, epsilon, bits, neighbours);
}

template std::optional<Key64> value_mode(const Values<Key64>&, double, const Workspace&,
                                         BitSource&);
template std::optional<Key128> value_mode(const Values<Key128>&, double, const Workspace&,
                                          BitSource&);
template std::size_t listed_mode(const Values<Key64>&, std::span<const Key64>, double,
                                 const Workspace&, BitSource&, Neighbours);
template std::size_t listed_mode(const Values<Key128>&, std::span<const Key128>, double,
                                 const Workspace&, BitSource&, Neighbours);

}  // namespace idp
