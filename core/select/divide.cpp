#include "core/select/divide.h"

#include <algorithm>
#include <bit>

#include "core/select/sample.h"

namespace idp {

namespace {

// How many of n keys are sampled for each splitter.
constexpr std::size_t kOversampling = 4;
constexpr std::size_t kLookedAt = 256;
// A bucket so many times the average is put down to a misleading sample.
constexpr std::size_t kLopsided = 8;

// Writes a sorted sample.
template <class Key>
void sorted_sample(std::span<const Key> keys, std::span<Key> sample) {
  const std::size_t stride = keys.size() / sample.size();
  for (std::size_t i = 0; i < sample.size(); ++i) {
    sample[i] = keys[sample_position(i, stride)];
  }
  std::sort(sample.begin(), sample.end());
}

// Makes ascending keys different; returns how many are left.
template <class Key>
std::size_t different(std::span<Key> sorted) {
  return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
}

// The different ones among so many evenly spread keys of an ascending list: all that are different
// if there are no more than that. Returns how many. May write over the list.
template <class Key>
std::size_t pick(std::span<Key> sorted, std::size_t most, Key* picked) {
  const std::size_t size = sorted.size();
  std::size_t distinct = 1;
  for (std::size_t i = 1; i < size; ++i) distinct += sorted[i] != sorted[i - 1];
  if (distinct <= most) {
    const std::size_t count = different(sorted);
    std::copy_n(sorted.begin(), count, picked);
    return count;
  }
  for (std::size_t i = 0; i < most; ++i) picked[i] = sorted[(2 * i + 1) * size / (2 * most)];
  return different(std::span<Key>(picked, most));
}

// Ascending keys to be searched without a branch: 2^levels - 1 of them, the last one repeated.
template <class Key>
class Tree {
 public:
  explicit Tree(std::span<const Key> splitters)
      : levels_(std::bit_width(splitters.size())), count_(splitters.size()) {
    fill(splitters, 1, 0, (std::size_t{1} << levels_) - 1);
    std::copy(splitters.begin(), splitters.end(), sorted_ + 1);
    sorted_[0] = splitters.front();
  }

  // For each key its id: 2 i for a key of bucket i, 2 i + 1 for one equal to splitter i. Adds up
  // how many keys have each.
  void find(const Key* keys, std::size_t size, std::uint16_t* ids, std::uint32_t* counts) const {
    std::size_t i = 0;
    for (; i + kAtOnce <= size; i += kAtOnce) find_some<kAtOnce>(keys + i, ids + i, counts);
    for (; i < size; ++i) find_some<1>(keys + i, ids + i, counts);
  }

 private:
  static constexpr std::size_t kAtOnce = 8;  // searches that do not wait for each other

  // Node `node` and those below it take the keys [begin, begin + size), size = 2^l - 1.
  void fill(std::span<const Key> splitters, std::size_t node, std::size_t begin, std::size_t size) {
    if (size == 0) return;
    const std::size_t half = size / 2;
    nodes_[node] = splitters[std::min(begin + half, splitters.size() - 1)];
    fill(splitters, 2 * node, begin, half);
    fill(splitters, 2 * node + 1, begin + half + 1, half);
  }

  template <std::size_t kCount>
  void find_some(const Key* keys, std::uint16_t* ids, std::uint32_t* counts) const {
    std::size_t node[kCount];
    for (std::size_t k = 0; k < kCount; ++k) node[k] = 1;
    for (int level = 0; level < levels_; ++level) {
#pragma GCC unroll 8
      for (std::size_t k = 0; k < kCount; ++k) {
        node[k] = 2 * node[k] + static_cast<std::size_t>(!(keys[k] < nodes_[node[k]]));
      }
    }
    for (std::size_t k = 0; k < kCount; ++k) {
      const std::size_t upto = std::min(node[k] - (std::size_t{1} << levels_), count_);
      const bool equal = upto > 0 && sorted_[upto] == keys[k];
      const std::size_t id = 2 * upto - equal;
      ids[k] = static_cast<std::uint16_t>(id);
      ++counts[id];
    }
  }

  int levels_;
  std::size_t count_;
  Key nodes_[2 * kMostSplitters + 2];
  Key sorted_[kMostSplitters + 1];  // from 1
};

}  // namespace

template <class Key>
std::size_t DividedRun<Key>::bucket_of(const Key& key) const {
  const auto above = std::upper_bound(
      splitters.begin(), splitters.end(), key,
      [](const Key& k, const Splitter<Key>& splitter) { return k < splitter.key; });
  return static_cast<std::size_t>(above - splitters.begin());
}

template <class Key>
std::size_t divide(std::span<const Key> keys, const DivisionSpace<Key>& space,
                   Splitter<Key>* splitters, std::int64_t& loose, std::size_t keys_per_bucket) {
  const std::size_t n = keys.size();
  const std::size_t most = std::clamp<std::size_t>(n / keys_per_bucket, 1, kMostSplitters);
  Key sample[kOversampling * kMostSplitters];
  Key picked[kMostSplitters];
  const std::span<Key> sampled(sample, std::min(n, kOversampling * most));
  sorted_sample(keys, sampled);
  std::size_t m = pick(sampled, most, picked);
  // By id: see Tree::find.
  std::uint32_t counts[2 * kMostSplitters + 1];
  const auto classify = [&] {
    std::fill_n(counts, 2 * m + 1, 0);
    Tree<Key>({picked, m}).find(keys.data(), n, space.ids, counts);
  };
  classify();
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i <= m; ++i) largest = std::max(largest, counts[2 * i]);
  if (most >= kLopsided && largest > kLopsided * n / most) {
    // The sample misled: the true quantiles do not.
    std::copy(keys.begin(), keys.end(), space.loose);
    std::sort(space.loose, space.loose + n);
    m = pick(std::span<Key>(space.loose, n), most, picked);
    classify();
  }

  // Where the next key of each id goes. Those equal to a splitter all go to one place behind the
  // loose ones, so that no branch depends on a key.
  std::uint32_t next[2 * kMostSplitters + 1];
  std::uint32_t position = 0;
  std::int64_t equal = 0;
  for (std::size_t i = 0; i <= m; ++i) {
    next[2 * i] = position;
    position += counts[2 * i];
    if (i == m) break;
    equal += counts[2 * i + 1];
    splitters[i] = {picked[i], position, equal};
  }
  for (std::size_t i = 0; i < m; ++i) next[2 * i + 1] = position;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t id = space.ids[i];
    space.loose[next[id]] = keys[i];
    next[id] += 1 - id % 2;
  }
  loose = position;
  return m;
}

template <class Key>
bool looks_repetitive(std::span<const Key> keys) {
  Key sample[kLookedAt];
  const std::span<Key> sampled(sample, std::min(keys.size(), kLookedAt));
  sorted_sample(keys, sampled);
  return 2 * different(sampled) <= sampled.size();
}

template struct DividedRun<Key64>;
template struct DividedRun<Key128>;
template std::size_t divide(std::span<const Key64>, const DivisionSpace<Key64>&, Splitter<Key64>*,
                            std::int64_t&, std::size_t);
template std::size_t divide(std::span<const Key128>, const DivisionSpace<Key128>&,
                            Splitter<Key128>*, std::int64_t&, std::size_t);
template bool looks_repetitive(std::span<const Key64>);
template bool looks_repetitive(std::span<const Key128>);

}  // namespace idp
