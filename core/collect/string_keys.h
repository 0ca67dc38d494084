// Strings as keys of 128 bits, for where the string itself is asked for in the end.
//
// A string becomes a key for each four of its bytes, one key at least:
//
//   88 bits of hash of the string | the place of the four bytes, from 0 | the bytes, zeros behind
//
// So keys can be kept, divided, sorted and combined in any order as those of numbers are; a string
// comes as often as its key of place 0; and what has one hash is put together again by place.
// Among n different strings some pair shares its hash with probability below n^2/2^89.
#pragma once

#include "core/no_postgres.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/grid/key.h"

namespace idp {

inline constexpr std::size_t kBytesOfKey = 4;
inline constexpr std::size_t kMostStringKeys = 255;
// A longer string is to be cut off by the caller, who knows where its characters end.
inline constexpr std::size_t kMostStringBytes = kBytesOfKey * kMostStringKeys;

// Writes the keys of a string of at most kMostStringBytes bytes, none of them 0; returns how many.
std::size_t string_keys(std::string_view string, Key128* keys);

// Whether two keys have the same hash, and which place a key has.
inline bool same_string(const Key128& a, const Key128& b) {
  return a.high == b.high && (a.low >> 40) == (b.low >> 40);
}
inline std::size_t place_of(const Key128& key) { return key.low >> 32 & 0xff; }

// The string of keys that have the same hash, ascending. Of several for one place the first counts.
std::string string_of(std::span<const Key128> keys);

}  // namespace idp
