// Divided runs: keys in buckets between splitters.
//
//   splitters   s_0 < s_1 < … < s_{m-1}, keys of the run themselves
//   bucket i    the keys strictly between s_{i-1} and s_i, for i = 0, …, m; in no order
//
// Keys equal to a splitter are counted and not kept. So a column of few different values becomes a
// list of values and their counts, and one value that comes very often costs no memory.
//
// A run is divided at quantiles of a sample of its own. Of a run that lies in a file the splitters
// and counts stay in memory and tell which of its buckets a question about ranks needs to see:
// usually one or two (divided_values.h).
#pragma once

#include "core/no_postgres.h"

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/grid/key.h"
#include "core/select/storage.h"

namespace idp {

template <class Key>
struct Splitter {
  Key key;
  std::int64_t loose_below;  // how many keys that equal no splitter lie below it
  std::int64_t equal_upto;   // how many keys equal this splitter or one before it
};

// The keys that equal no splitter are called loose. They lie one bucket after the other.
template <class Key>
struct DividedRun {
  std::span<const Splitter<Key>> splitters;
  std::int64_t loose = 0;          // how many there are
  const Key* in_memory = nullptr;  // where they lie, if not in the file
  RunFile* file = nullptr;
  std::int64_t at = 0;  // where they begin in the file

  std::int64_t equal() const { return splitters.empty() ? 0 : splitters.back().equal_upto; }
  std::int64_t size() const { return loose + equal(); }
  // Where bucket i begins among the loose keys.
  std::int64_t begin_of(std::size_t i) const { return i == 0 ? 0 : splitters[i - 1].loose_below; }
  std::int64_t end_of(std::size_t i) const {
    return i == splitters.size() ? loose : splitters[i].loose_below;
  }
  // How many keys lie below bucket i.
  std::int64_t below(std::size_t i) const {
    return i == 0 ? 0 : splitters[i - 1].loose_below + splitters[i - 1].equal_upto;
  }
  // How many keys equal splitter i.
  std::int64_t count_of(std::size_t i) const {
    return splitters[i].equal_upto - (i == 0 ? 0 : splitters[i - 1].equal_upto);
  }
  // How many splitters are at most key: the number of the bucket that would hold it, or that
  // follows it.
  std::size_t bucket_of(const Key& key) const;
};

inline constexpr std::size_t kMostSplitters = 255;
inline constexpr std::size_t kKeysPerBucket = 64;  // at least, on average
inline constexpr std::size_t kMostKeysDivided = std::size_t{1} << 20;

// What divide() works in, given by the caller so that nothing is allocated for each run.
template <class Key>
struct DivisionSpace {
  Key* loose;          // room for one more than there are keys; receives the loose keys
  std::uint16_t* ids;  // room for as many as there are keys

  static constexpr std::size_t bytes(std::size_t keys) {
    return (keys + 1) * sizeof(Key) + keys * sizeof(std::uint16_t);
  }
  // of an area of so many bytes
  static DivisionSpace in(void* area, std::size_t keys) {
    auto* loose = static_cast<Key*>(area);
    return {loose, reinterpret_cast<std::uint16_t*>(loose + keys + 1)};
  }
};

// Divides 1 to kMostKeysDivided keys. Writes the splitters, at most kMostSplitters and fewer for
// few keys, to `splitters` and returns how many; writes the loose keys, bucket by bucket, to
// space.loose. No bucket holds more than about n/32 of n >= 16384 keys, whatever their order.
template <class Key>
std::size_t divide(std::span<const Key> keys, const DivisionSpace<Key>& space,
                   Splitter<Key>* splitters, std::int64_t& loose,
                   std::size_t keys_per_bucket = kKeysPerBucket);

// Whether a look at some of the keys says that a hundred or so different ones make up most of them.
template <class Key>
bool looks_repetitive(std::span<const Key> keys);

}  // namespace idp
