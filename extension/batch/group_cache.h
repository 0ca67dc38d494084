// Groups by the bytes of their keys, in front of the server's hash table. Equal bytes are of equal
// values, whatever a type calls equal; that equal values have other bytes only means that they are
// found twice. A key that does not fit is not here, nor is one for which there is no room: the
// server finds its group then.
#pragma once

#include "extension/pg/pg.h"

#include <cstdint>

extern "C" {
#include "executor/nodeAgg.h"
}

namespace idp {

// How the values of a key lie in words.
struct KeyForm {
  int16 length;
  bool by_value;
  int words;
};

KeyForm form_of_key(Oid type);

constexpr int kMostKeys = 6;
constexpr int kMostWords = 16;

// The groups of an aggregation that were seen; begins empty, as all zeros but for what is said
// here.
struct GroupCache {
  int words;              // of a key
  std::uint64_t* places;  // each a key and its group; null: none was made yet
  std::uint32_t mask;
  std::uint32_t used;
  AggStatePerGroup group_of_null;  // of a single key
};

// Puts a value behind those before it; false if it does not fit. at is moved on.
bool put_key(const KeyForm& form, Datum value, std::uint64_t*& at);

// Where a key of so many words is, or would be; there must be places. Of as many as the cache has;
// they are given so that it is known when this is compiled.
pg_attribute_always_inline std::uint64_t* find_place(const GroupCache& cache,
                                                     const std::uint64_t* key, int words) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;
  std::uint64_t hash = key[0] * kFactor;
  for (int i = 1; i < words; ++i) hash = (hash ^ (hash >> 29) ^ key[i]) * kFactor;
  auto number = static_cast<std::uint32_t>(hash >> 32) & cache.mask;
  for (;; number = (number + 1) & cache.mask) {
    std::uint64_t* place = cache.places + static_cast<Size>(number) * static_cast<Size>(words + 1);
    if (place[words] == 0) return place;
    int same = 0;
    while (same < words && place[same] == key[same]) ++same;
    if (same == words) return place;
  }
}

// The group of a key; null if it is not known.
pg_attribute_always_inline AggStatePerGroup find_group(const GroupCache& cache,
                                                       const std::uint64_t* key, int words) {
  if (cache.places == nullptr) return nullptr;
  return reinterpret_cast<AggStatePerGroup>(find_place(cache, key, words)[words]);
}

// Keeps a group while there is room: in the current memory context, and no more than a part of
// work_mem.
void keep_group(GroupCache& cache, const std::uint64_t* key, AggStatePerGroup group);

}  // namespace idp
