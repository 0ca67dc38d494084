#include "core/sensitivity/order_statistic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace idp {

std::int64_t nearest_rank(double fraction, std::int64_t n) {
  const double rank = std::ceil(fraction * static_cast<double>(n));
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(rank), 1, n);
}

template <class Key>
std::vector<Neighbourhood<Key>> neighbourhoods(const Values<Key>& values, std::int64_t rank,
                                               std::int64_t distances,
                                               const PublicBounds<Key>& bounds) {
  if (distances < 1 || distances > kMostDistances) {
    throw std::invalid_argument("neighbourhoods at so many distances are not selected");
  }
  const std::int64_t n = values.size();
  if (rank < 1 || rank > n) return {};

  const std::optional<Key>&lower = bounds.lower, &upper = bounds.upper;
  const std::int64_t first = std::max<std::int64_t>(rank - distances, 1);
  const std::int64_t last = distances < n - rank ? rank + distances : n;
  if ((rank - distances < first && !lower) || (distances > n - rank && !upper)) return {};

  std::array<Key, 2 * kMostDistances + 1> window;  // x_first, …, x_last
  const auto size = static_cast<std::size_t>(last - first + 1);
  values.order_statistics(first, std::span<Key>(window).first(size));
  // Clamping commutes with selecting, so only what was selected needs it.
  const auto value = [&](std::int64_t i) {
    if (i < first) return *lower;
    if (i > last) return *upper;
    Key key = window[static_cast<std::size_t>(i - first)];
    if (lower) key = std::max(key, *lower);
    if (upper) key = std::min(key, *upper);
    return key;
  };
  std::vector<Neighbourhood<Key>> around;
  around.reserve(static_cast<std::size_t>(distances));
  for (std::int64_t k = 1; k <= distances; ++k) {
    around.push_back({value(rank - k), value(rank), value(rank + k)});
  }
  return around;
}

template std::vector<Neighbourhood<Key64>> neighbourhoods(const Values<Key64>&, std::int64_t,
                                                          std::int64_t, const PublicBounds<Key64>&);
template std::vector<Neighbourhood<Key128>> neighbourhoods(const Values<Key128>&, std::int64_t,
                                                           std::int64_t,
                                                           const PublicBounds<Key128>&);

}  // namespace idp
