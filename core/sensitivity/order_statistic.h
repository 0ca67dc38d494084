// Local sensitivity of order statistics.
//
// Sorted inputs x_1 <= … <= x_n, f(D) = x_r. Neighbours of D substitute, add or remove one record.
//
//   LS_f(D) = max(x_{r+1} - x_r, x_r - x_{r-1})                                  (distance 1)
//   LS_f(D) = max(x_{r+k} - x_r, x_r - x_{r-k})                                  (distance k)
//
// Why it is enough: in a neighbour of size n every rank moves by at most one place. When a record
// is added or removed the rank r itself moves by 0 or 1, in the direction in which the values do
// (see nearest_rank), so the answer stays within [x_{r-1}, x_{r+1}]. Why it is tight: substituting
// a record from below r by one above x_{r+1} makes the answer x_{r+1}; the other side likewise.
//
// At the ends x_0 is the public bound `lower` and x_{n+1} is `upper`. Without a bound the
// sensitivity is unbounded, and the answer is suppressed.
//
// Source: Soria-Comas et al. 2017, section 6.1.3 (median), 6.2.3 (maximum and second maximum);
// the general rank and distance k by the same argument, checked by brute force in the tests.
#pragma once

#include "core/no_postgres.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/grid/key.h"
#include "core/select/values.h"

namespace idp {

// The nearest rank ceil(fraction * n) clamped to [1, n], as percentile_disc computes it, n >= 1.
//
// The product is rounded to a double, as in PostgreSQL, so that 0.1 of 10 rows is row 1. All that
// the sensitivity needs is that the rank of n + 1 rows is the rank of n rows or the next one; it
// holds for every n < 2^52 since rounding is monotone and, below 2^52, leaves integers alone:
// fraction * (n + 1) <= fraction * n + 1.
std::int64_t nearest_rank(double fraction, std::int64_t n);

// f(D) = at, and how far the records within some distance can move it: down to below, up to above.
template <class Key>
struct Neighbourhood {
  Key below;
  Key at;
  Key above;
};

// The public bounds of a column, where it has them: lower <= upper.
template <class Key>
struct PublicBounds {
  std::optional<Key> lower;
  std::optional<Key> upper;
};

inline constexpr std::int64_t kMostDistances = 32;

// Selects x_{r-k}, x_r, x_{r+k} for every distance k = 1, …, distances, r = rank; the bounds clamp
// the values and stand in beyond the ends. Empty if a value is missing, because there is no rank r
// or no bound at an end that is reached: the sensitivity is unbounded. Throws Stopped, and
// std::invalid_argument unless 1 <= distances <= kMostDistances.
template <class Key>
std::vector<Neighbourhood<Key>> neighbourhoods(const Values<Key>& values, std::int64_t rank,
                                               std::int64_t distances,
                                               const PublicBounds<Key>& bounds);

// In integers of any kind.
template <class Integer>
Integer local_sensitivity(const Integer& below, const Integer& at, const Integer& above) {
  return std::max<Integer>(above - at, at - below);
}

}  // namespace idp
