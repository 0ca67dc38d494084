// Ordered keys: every value an aggregate collects is held as a signed integer whose order is the
// order of the values. Comparing keys is all that selecting an order statistic needs.
//
//   Key64   integers, dates and timestamps as they are; floats through ordered_bits();
//           numeric columns of at most 18 digits as multiples of 10^-scale
//   Key128  all other numeric columns, as multiples of 10^-scale; text and uuid, as 128 bits that
//           tell values apart, in no order that means anything
//
// NaN has no key: callers skip it. -0 and +0 share one key.
#pragma once

#include "core/no_postgres.h"

#include <bit>
#include <compare>
#include <cstdint>
#include <limits>

namespace idp {

// GMP's C++ interface takes longs, and the core passes it 64-bit integers as such.
static_assert(sizeof(long) == sizeof(std::int64_t), "the core needs 64-bit long");

using Key64 = std::int64_t;

// Two words rather than __int128: server memory is aligned to 8 bytes only, and the compiler
// would be free to use 16-byte aligned moves. Member order makes the default comparison right.
struct Key128 {
  std::int64_t high;
  std::uint64_t low;
  friend constexpr auto operator<=>(const Key128&, const Key128&) = default;
};

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

// How many bits v has, 0 if it is 0.
constexpr int bit_width(Uint128 v) {
  const auto high = static_cast<std::uint64_t>(v >> 64);
  const auto bits =
      high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<std::uint64_t>(v));
  return static_cast<int>(bits);
}

constexpr Key128 key128(Int128 v) {
  return {static_cast<std::int64_t>(v >> 64), static_cast<std::uint64_t>(v)};
}
constexpr Int128 int128(Key128 k) {
  return static_cast<Int128>((static_cast<Uint128>(static_cast<std::uint64_t>(k.high)) << 64) |
                             k.low);
}

// Keys of either kind in one; narrow() is the inverse of widening a narrow one.
constexpr Key128 widen(Key64 key) { return key128(Int128{key}); }
constexpr Key128 widen(Key128 key) { return key; }
constexpr Key64 narrow(Key128 key) { return static_cast<Key64>(key.low); }
template <class Key>
constexpr Key key_as(Key128 key);
template <>
constexpr Key64 key_as<Key64>(Key128 key) {
  return narrow(key);
}
template <>
constexpr Key128 key_as<Key128>(Key128 key) {
  return key;
}

template <class Key>
struct KeyLimits;
template <>
struct KeyLimits<Key64> {
  static constexpr Key64 kMin = std::numeric_limits<Key64>::min();
  static constexpr Key64 kMax = std::numeric_limits<Key64>::max();
};
template <>
struct KeyLimits<Key128> {
  static constexpr Key128 kMin{std::numeric_limits<std::int64_t>::min(), 0};
  static constexpr Key128 kMax{std::numeric_limits<std::int64_t>::max(),
                               std::numeric_limits<std::uint64_t>::max()};
};

// The bits of a double as an integer that sorts as the doubles do: positive values keep their
// bits, negative ones have theirs below the sign inverted. x must not be NaN. x + 0.0 turns -0
// into +0 and changes nothing else.
constexpr Key64 ordered_bits(double x) {
  const auto bits = std::bit_cast<std::int64_t>(x + 0.0);
  return bits ^ ((bits >> 63) & std::numeric_limits<std::int64_t>::max());
}
constexpr double from_ordered_bits(Key64 key) {
  return std::bit_cast<double>(key ^ ((key >> 63) & std::numeric_limits<std::int64_t>::max()));
}

}  // namespace idp
