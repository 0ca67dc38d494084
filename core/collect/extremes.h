// Statistics near one end of the values need few of them: the maximum and what a change of g
// records can make of it depend on the g + 1 largest values alone, the k-th largest on k + g.
//
// So their states keep these only, the outermost first. Why nothing else matters: ranks are counted
// from that end, f(D) has rank r <= k there, and the local sensitivity at distance j <= g looks at
// ranks up to r + j and at whether there are so many (core/sensitivity/order_statistic.h).
#pragma once

#include "core/no_postgres.h"

#include <cstddef>
#include <cstdint>

namespace idp {

// Of a statistic that depends on more, every value is kept.
inline constexpr std::int64_t kMostExtremes = 64;

// Whether a is farther out than b.
template <class Key>
bool is_outside(bool largest, const Key& a, const Key& b) {
  return largest ? b < a : a < b;
}

// Enters a key among `count` of at most `kept`, kept >= 1, the outermost first. Returns the count.
template <class Key>
std::size_t add_extreme(Key* keys, std::size_t count, std::size_t kept, bool largest, Key key) {
  if (count == kept) {
    if (!is_outside(largest, key, keys[count - 1])) return count;
    --count;
  }
  std::size_t at = count;
  for (; at > 0 && is_outside(largest, key, keys[at - 1]); --at) keys[at] = keys[at - 1];
  keys[at] = key;
  return count + 1;
}

// Whether keys lie as add_extreme() leaves them.
template <class Key>
bool are_extremes(const Key* keys, std::size_t count, std::size_t kept, bool largest) {
  if (count > kept) return false;
  for (std::size_t i = 1; i < count; ++i) {
    if (is_outside(largest, keys[i], keys[i - 1])) return false;
  }
  return true;
}

}  // namespace idp
